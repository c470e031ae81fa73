import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { DATABASES } from "../support/databases";
import { atEndOfFile } from "../support/endOfFile";
import { ServerProcess } from "../support/server";

/** ReadyForQuery outside of a transaction: postgresql.org/docs/current/protocol-message-formats.html */
const IDLE = "Z\0\0\0\x05I";

/** Counts the turns of transactions: all that is sent before the database answers is one. */
class CountingProxy {
  /** Of each transaction that changed an object. */
  readonly counts: number[] = [];
  readonly #sockets: Socket[] = [];

  private constructor(private readonly server: Server) {}

  static async start(port: number, host: string): Promise<CountingProxy> {
    const server = createServer((client) => {
      const database = connect(port, host);
      proxy.#sockets.push(client, database);
      for (const socket of [client, database]) socket.on("error", () => undefined);
      client.on("close", () => database.destroy());
      let [count, changes, isAnswered] = [0, false, true];
      database.on("data", (bytes) => {
        isAnswered = true;
        if (bytes.toString("latin1").endsWith(IDLE)) {
          if (changes) proxy.counts.push(count);
          [count, changes] = [0, false];
        }
        client.write(bytes);
      });
      client.on("data", (bytes) => {
        if (isAnswered) count++;
        isAnswered = false;
        changes ||= bytes.toString("latin1").includes("counted");
        database.write(bytes);
      });
    });
    const proxy = new CountingProxy(server);
    atEndOfFile(() => {
      for (const socket of proxy.#sockets) socket.destroy();
      server.close();
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    return proxy;
  }

  get port(): string {
    return String((this.server.address() as AddressInfo).port);
  }
}

for (const database of DATABASES.filter(({ name }) => name === "PostgreSQL")) {
  describe("On PostgreSQL: A change", () => {
    it("takes one round trip to create an object, and two to update one", async () => {
      const url = new URL(await database.create());
      const proxy = await CountingProxy.start(Number(url.port), url.hostname);
      url.port = proxy.port;
      const server = await ServerProcess.start({ data: url.href });
      const rest = server.rest;
      const backend = await rest.post("/backends/tunnel_group", { labels: { service: "web" } });
      const body = {
        hostports: ["a.example.com:443"],
        description: "counted",
        backend: { backend_id: backend.body.id },
      };
      const edge = await rest.post("/edges/tls", body);
      await rest.patch(`/edges/tls/${edge.body.id}`, { description: "counted again" });
      expect(proxy.counts).to.deep.equal([1, 2]);
    });
  });
}

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/**
 * Stands between clients and a server, and loses answers: of three connections in turn it lets one through, cuts one when
 * the answer has come, and one as soon as the request is sent on, so that its repetition meets it on the server.
 */
export class LossyProxy {
  readonly #sockets = new Set<Socket>();
  #connections = 0;
  /** How many answers were lost. */
  lost = 0;

  private constructor(private readonly server: Server) {}

  /** @param target the URL of the server */
  static async start(target: string): Promise<LossyProxy> {
    const { hostname, port } = new URL(target);
    const proxy: LossyProxy = new LossyProxy(createServer((client) => proxy.#pass(client, connect(Number(port), hostname))));
    proxy.server.listen(0, "127.0.0.1");
    await once(proxy.server, "listening");
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.server.close();
    await once(this.server, "close");
  }

  #pass(client: Socket, server: Socket): void {
    const fate = this.#connections++ % 3;
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => this.#sockets.delete(socket));
    }
    const lose = () => {
      this.lost++;
      client.destroy();
    };
    client.pipe(server, { end: fate !== 2 });
    if (fate === 0) server.pipe(client);
    if (fate === 1) server.once("data", lose);
    if (fate === 2) {
      client.once("data", () => setImmediate(lose));
      server.resume(); // the server finishes what it began
    }
  }
}

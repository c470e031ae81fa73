import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A network to a database on which everything takes a while, each way. */
export class SlowProxy {
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    /** The database's URL through this proxy. */
    readonly url: string,
  ) {}

  /** @param ms each way */
  static async start(databaseUrl: string, ms: number): Promise<SlowProxy> {
    const target = new URL(databaseUrl);
    const server = createServer((client) => {
      const database = connect(Number(target.port), target.hostname);
      for (const socket of [client, database]) proxy.#sockets.add(socket.setNoDelay());
      passSlowly(client, database, ms);
      passSlowly(database, client, ms);
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const url = new URL(databaseUrl);
    url.port = String((server.address() as AddressInfo).port);
    const proxy = new SlowProxy(server, url.href);
    return proxy;
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.server.close();
  }
}

function passSlowly(from: Socket, to: Socket, ms: number): void {
  from.on("data", (bytes) => setTimeout(() => to.writable && to.write(bytes), ms));
  from.on("close", () => to.destroy()).on("error", () => undefined);
}

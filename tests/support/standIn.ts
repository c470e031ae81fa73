import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";

/** Stands in for a server that is not ours, or for ours on a bad day: it answers as it is told. */
export class StandInServer {
  private constructor(
    readonly url: string,
    private readonly server: Server,
  ) {}

  /** @param tls with which key and certificate it speaks HTTPS; without, it speaks HTTP */
  static async start(answer: RequestListener, tls?: { key: string; cert: string }): Promise<StandInServer> {
    const server = tls ? createTlsServer(tls, answer) : createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new StandInServer(`${tls ? "https" : "http"}://127.0.0.1:${(server.address() as AddressInfo).port}`, server);
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

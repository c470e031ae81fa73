import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Certificate } from "./api/fixtures";
import { atEndOfFile } from "./endOfFile";

/** Stands in for another server, or for a failing one of ours. A test decides how it answers. */
export class StandInServer {
  private constructor(
    readonly url: string,
    private readonly server: Server,
  ) {
    atEndOfFile(() => this.stop());
  }

  /** @param own certificate for HTTPS; if absent, it speaks HTTP */
  static async start(answer: RequestListener, own?: Certificate): Promise<StandInServer> {
    const server = own
      ? createTlsServer({ key: own.privateKey, cert: own.pem }, answer)
      : createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new StandInServer(
      `${own ? "https" : "http"}://127.0.0.1:${(server.address() as AddressInfo).port}`,
      server,
    );
  }

  /** Called with each connection, even one that sends no request. */
  onConnection(seen: () => void): void {
    this.server.on("connection", seen);
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

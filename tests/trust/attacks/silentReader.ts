import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A connection that sends one request and reads nothing of the answer. */
export class SilentReader {
  private constructor(private readonly socket: Socket) {}

  static async get(url: string, path: string, apiKey: string): Promise<SilentReader> {
    const { hostname, port, host } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on("error", () => undefined); // the server may reset the connection
    socket.pause();
    await once(socket, "connect");
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${apiKey}\r\nService-Version: 2\r\n\r\n`,
    );
    return new SilentReader(socket);
  }

  /** Starts to read, up to the end of the connection; resolves with the number of bytes. */
  async readToTheEnd(): Promise<number> {
    let bytes = 0;
    this.socket.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    this.socket.resume();
    await once(this.socket, "close");
    return bytes;
  }

  close(): void {
    this.socket.destroy();
  }
}

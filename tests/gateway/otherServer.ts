import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Stands between a gateway and a server, and changes texts of answers, as if other objects were stored. */
export class OtherServer {
  private constructor(
    private readonly server: Server,
    readonly changes: Map<string, string>,
  ) {}

  static async start(url: string): Promise<OtherServer> {
    const changes = new Map<string, string>();
    const server = createServer((asked, answer) => {
      const { method, headers, url: path } = asked;
      const forwarded = request(
        new URL(path ?? "", url),
        { method, headers: { ...headers, host: new URL(url).host } },
        async (got) => {
          const parts: Buffer[] = [];
          for await (const part of got) parts.push(part as Buffer);
          const text = [...changes].reduce(
            (so, [from, to]) => so.replaceAll(from, to),
            Buffer.concat(parts).toString(),
          );
          answer
            .writeHead(got.statusCode ?? 502, { "content-type": got.headers["content-type"] ?? "text/plain" })
            .end(text);
        },
      );
      forwarded.on("error", () => answer.destroy());
      answer.on("close", () => forwarded.destroy());
      asked.pipe(forwarded);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new OtherServer(server, changes);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

import { createServer, type Server } from "node:http";
import { createServer as createPlain } from "node:net";

/** A program to reach through a tunnel. It answers every request alike, and reads no file. */
export const sampleApp = (): Server =>
  createServer((request, response) => {
    request.resume();
    response.setHeader("content-type", "text/plain; charset=utf-8").end("hello from behind the tunnel\n");
  });

/** A port of this machine on which nobody listens: the preferred one, or another. */
export async function freePort(preferred: number): Promise<number> {
  return (await tried(preferred)) ?? (await tried(0)) ?? preferred;
}

function tried(port: number): Promise<number | undefined> {
  const server = createPlain();
  return new Promise((resolve) => {
    server.once("error", () => resolve(undefined));
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" ? address?.port : undefined));
    });
  });
}

import { createServer } from "node:net";

/** A port of this machine on which nobody listens: the preferred one, or another. Default: any. */
export async function freePort(preferred = 0): Promise<number> {
  return (await tried(preferred)) ?? (await tried(0)) ?? preferred;
}

function tried(port: number): Promise<number | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(undefined));
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" ? address?.port : undefined));
    });
  });
}

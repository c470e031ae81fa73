import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import { isObject } from "@tunnelplane/sdk/contract";

/** How long the command waits for the browser. */
const MAX_MS = 10 * 60_000;

/**
 * Has somebody let the command line in with the browser of this computer, which brings the code here: to a
 * port of the loopback interface (RFC 8252). It is of use only with the verifier.
 */
export async function codeFromBrowser(url: string, verifier: string): Promise<string> {
  const state = randomBytes(16).toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  let ended: NodeJS.Timeout | undefined;
  const server = createServer();
  try {
    return await new Promise<string>((resolve, reject) => {
      ended = setTimeout(() => reject(new Error("Nobody signed in in time: begin again")), MAX_MS);
      server.once("error", reject);
      server.on("request", (request, response) => {
        const query = new URL(request.url ?? "/", "http://127.0.0.1").searchParams;
        const code = query.get("state") === state ? query.get("code") : null;
        response.writeHead(code === null ? 404 : 200, {
          "content-type": "text/html; charset=utf-8",
          "cache-control": "no-store",
          "referrer-policy": "no-referrer",
          "content-security-policy": "default-src 'none'",
          connection: "close",
        });
        response.end(code === null ? "" : "<h1>The command line is in</h1><p>You can close this page.</p>");
        if (code !== null) response.once("finish", () => resolve(code));
      });
      server.listen(0, "127.0.0.1", () => {
        const query = new URLSearchParams({ challenge, state, port: String(portOf(server)) });
        open(`${url}/login?${query}`);
      });
    });
  } finally {
    clearTimeout(ended);
    server.close();
    server.closeAllConnections();
  }
}

const portOf = (server: Server): number => {
  const address = server.address();
  return isObject(address) ? Number(address.port) : 0;
};

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: "open", win32: "explorer" };

/** Opens an address in the browser, and prints it for where that does not work. */
function open(address: string): void {
  console.error(`Open ${address}\n(without a browser on this computer: --no-browser)`);
  const program = process.env.BROWSER || OPENERS[process.platform] || "xdg-open";
  spawn(program, [address], { stdio: "ignore", detached: true })
    .on("error", () => undefined) // the address is printed
    .unref();
}

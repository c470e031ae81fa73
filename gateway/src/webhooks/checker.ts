import { chmodSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { join } from "node:path";
import type { Objects } from "../envoy/model";
import { type Provider, WEBHOOK_SOCKET } from "../envoy/webhooks";
import { isSigned, type Signed } from "./signatures";

/** Envoy passes no larger body on. */
const LARGEST = 1_048_576;

interface Rule {
  readonly provider: Provider;
  readonly secret: string;
}

/** Tells Envoy whether a service signed a request: answers 200 or 403 on a socket beside those of agents. */
export class WebhookChecker {
  #rules: ReadonlyMap<string, Rule> = new Map();

  private constructor(private readonly server: Server) {}

  /** @param folder of the sockets */
  static async start(folder: string): Promise<WebhookChecker> {
    const path = join(folder, WEBHOOK_SOCKET);
    rmSync(path, { force: true });
    const server = createServer();
    const checker = new WebhookChecker(server);
    server.on("request", async (request, response) => {
      const isIt = await checker.#isSigned(request).catch(() => false);
      response.writeHead(isIt ? 200 : 403).end();
    });
    await new Promise<void>((resolve, reject) => server.once("error", reject).listen(path, resolve));
    chmodSync(path, 0o600);
    return checker;
  }

  /** Takes over what routes ask for now. */
  declare({ https_edge }: Objects): void {
    this.#rules = new Map(
      https_edge.flatMap(({ routes }) =>
        routes.flatMap(({ id, webhook_verification: module }) =>
          module?.enabled && module.secret
            ? [[id, { provider: module.provider, secret: module.secret }] as const]
            : [],
        ),
      ),
    );
  }

  async #isSigned(request: IncomingMessage): Promise<boolean> {
    const [, route = "", port = "", path = "/"] = /^\/([^/]+)\/(\d+)(\/.*)$/.exec(request.url ?? "") ?? [];
    const rule = this.#rules.get(route);
    if (!rule) return false;
    const body = await bodyOf(request);
    if (!body) return false;
    const host = request.headers.host ?? "";
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, value?.toString()]),
    );
    const signed: Signed = {
      headers,
      body,
      urls: [...(port === "443" ? [`https://${host}${path}`] : []), `https://${host}:${port}${path}`],
    };
    return isSigned(rule.provider, signed, rule.secret, Date.now());
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > LARGEST) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

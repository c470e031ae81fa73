import { readFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import type { Running } from "./running";

/** What a browser does: asks for a page, and keeps the cookies of each host as __Host- demands. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #trusted: string[];

  constructor(
    private readonly one: Running,
    issuer: string,
  ) {
    this.#trusted = [readFileSync(join(one.state, "dev-ca.pem"), "utf8"), issuer];
  }

  visit(url: string, { method = "GET", headers = {} as Record<string, string> } = {}): Promise<Visit> {
    const { hostname, port, pathname, search } = new URL(url);
    const site = port === "";
    const cookie = site ? [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ") : "";
    const where = {
      ...{ host: "127.0.0.1", port: site ? this.one.httpsPort : port, path: pathname + search },
      ...{ agent: false as const, method },
    };
    const sent = { host: site ? hostname : `${hostname}:${port}`, ...(cookie ? { cookie } : {}), ...headers };
    return new Promise((resolve, reject) => {
      const asked = request(
        { ...where, headers: sent, ca: this.#trusted, ...(site ? { servername: hostname } : {}) },
        (answer) => {
          const set = answer.headers["set-cookie"] ?? [];
          for (const text of set) this.#keep(text);
          let body = "";
          answer.setEncoding("utf8").on("data", (chunk) => {
            body += chunk;
          });
          answer.on("end", () =>
            resolve({ status: answer.statusCode ?? 0, location: answer.headers.location ?? "", body, set }),
          );
        },
      );
      asked.on("error", reject).end();
    });
  }

  #keep(text: string): void {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
    const isBound = /;\s*secure/i.test(text) && /;\s*path=\/(;|$)/i.test(text) && !/;\s*domain/i.test(text);
    if (name.startsWith("__Host-") && !isBound) return;
    if (value === "" || value === "deleted" || /max-age=0/i.test(text)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

export interface Visit {
  readonly status: number;
  readonly location: string;
  readonly body: string;
  readonly set: readonly string[];
}

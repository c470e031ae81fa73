import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { RequestsUnderWay } from "./limits/requestsUnderWay";

/** Beside `dist`, in the package as in the repository. */
const FOLDER = join(__dirname, "../../static");
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
};

const STRICT =
  "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/**
 * Redoc adds empty style elements, which it fills by script, and one for its scroll bars: the hash of
 * nothing, and of that one. A later version may need another; the test of the page says so. Its search runs
 * in a worker of its own.
 */
const OF_REDOC =
  "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' 'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='";
/** The pages by their folders, with the content security policy of each. */
const PAGES: Readonly<Record<string, string>> = {
  docs: `${STRICT}; style-src 'self' ${OF_REDOC}; worker-src blob:`,
  console: `${STRICT}; style-src 'self'; require-trusted-types-for 'script'`,
};

/**
 * Serves the pages for people, which need no API key: the API reference and the console. They read their
 * contents from the API, with the reader's own key. They are files of the package, read once; each has a
 * route, so no path is ever looked up. Requests take slots like any request without a key.
 */
export function registerPages(app: FastifyInstance, underWay: RequestsUnderWay): void {
  app.register(async (pages) => {
    underWay.limitOn(pages);
    pages.addHook("onRequest", (request) => underWay.admit(request));
    for (const [page, policy] of Object.entries(PAGES)) {
      for (const name of readdirSync(join(FOLDER, page))) {
        const file = new PageFile(
          readFileSync(join(FOLDER, page, name)),
          TYPES[extname(name)] ?? "application/octet-stream",
          policy,
        );
        pages.get(name === "index.html" ? `/${page}` : `/${page}/${name}`, (request, reply) =>
          file.answer(request, reply),
        );
      }
    }
  });
}

class PageFile {
  readonly #etag: string;
  #compressed: Promise<Buffer> | undefined;

  constructor(
    private readonly content: Buffer,
    private readonly type: string,
    private readonly policy: string,
  ) {
    this.#etag = `"${createHash("sha256").update(content).digest("base64url").slice(0, 27)}"`;
  }

  async answer(request: FastifyRequest, reply: FastifyReply): Promise<Buffer | undefined> {
    reply.headers({
      etag: this.#etag,
      "cache-control": "no-cache", // asked for again each time, and answered with 304 while it is the same
      vary: "accept-encoding",
      "content-security-policy": this.policy,
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
    });
    if (request.headers["if-none-match"] === this.#etag) {
      reply.code(304);
      return undefined;
    }
    reply.type(this.type);
    if (!/\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""))) return this.content;
    reply.header("content-encoding", "gzip");
    this.#compressed ??= promisify(gzip)(this.content);
    return this.#compressed;
  }
}

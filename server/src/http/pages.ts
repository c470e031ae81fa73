import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import type { FastifyInstance } from "fastify";
import type { RequestsUnderWay } from "./limits/requestsUnderWay";
import { SentFile } from "./sentFile";

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
        const file = new SentFile(
          readFileSync(join(FOLDER, page, name)),
          TYPES[extname(name)] ?? "application/octet-stream",
          { ...OF_PAGES, "content-security-policy": policy },
        );
        pages.get(name === "index.html" ? `/${page}` : `/${page}/${name}`, (request, reply) =>
          file.answer(request, reply),
        );
      }
    }
  });
}

const OF_PAGES = {
  "cache-control": "no-cache", // asked for again each time, and answered with 304 while it is the same
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

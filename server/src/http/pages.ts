import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { own } from "@tunnelplane/sdk/contract";
import type { FastifyInstance } from "fastify";
import type { Gate } from "./gate";
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

const PAGES = ["docs", "console"];
/** Nothing inline, nothing of other servers, and no text that becomes markup. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";
const HEADERS = {
  "cache-control": "no-cache", // asked for again each time, and answered with 304 while it is the same
  "content-security-policy": POLICY,
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

/**
 * Serves the pages for people, which need no API key: the API reference and the console. They read their
 * contents from the API, with the reader's own key. They are files of the package, read once; each has a
 * route, so no path is ever looked up. Requests take slots like any request without a key.
 */
export function registerPages(app: FastifyInstance, gate: Gate): void {
  for (const page of PAGES)
    app.register(async (pages) => {
      gate.guard(pages, page === "console" ? { restricts: "dashboard" } : {});
      for (const name of readdirSync(join(FOLDER, page))) {
        const file = new SentFile(
          readFileSync(join(FOLDER, page, name)),
          own(TYPES, extname(name)) ?? "application/octet-stream",
          HEADERS,
        );
        pages.get(name === "index.html" ? `/${page}` : `/${page}/${name}`, (request, reply) =>
          file.answer(request, reply),
        );
      }
    });
}

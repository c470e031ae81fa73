import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { atEndOfFile } from "../support/endOfFile";
import { newFolder } from "../support/folder";

const ROOT = join(__dirname, "../..");
const VITEPRESS = join(ROOT, "node_modules/vitepress/bin/vitepress.js");
const TYPES: Readonly<Record<string, string>> = {
  ...{ ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" },
  ...{ ".png": "image/png", ".json": "application/json", ".woff2": "font/woff2" },
};

export class Site {
  private constructor(
    readonly folder: string,
    private readonly server: Server,
  ) {}

  static async build(): Promise<Site> {
    const folder = newFolder();
    execFileSync(process.execPath, [VITEPRESS, "build", "docs", "--outDir", folder], {
      cwd: ROOT,
      stdio: "pipe",
    });
    return Site.serve(folder);
  }

  static async serve(folder: string): Promise<Site> {
    const files = new Set(readdirSync(folder, { recursive: true, encoding: "utf8" }));
    const server = createServer(({ url = "/" }, response) => {
      const path = decodeURIComponent(new URL(url, "http://site").pathname).slice(1);
      const file = path === "" || path.endsWith("/") ? `${path}index.html` : path;
      if (!files.has(file)) {
        response.writeHead(404).end();
        return;
      }
      response
        .writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" })
        .end(readFileSync(join(folder, file)));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    atEndOfFile(() => server.closeAllConnections());
    return new Site(folder, server);
  }

  /** The paths of all pages, but that of addresses which lead nowhere. */
  pages(): string[] {
    return readdirSync(this.folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".html") && name !== "404.html")
      .sort();
  }

  text(page: string): string {
    return readFileSync(join(this.folder, page), "utf8");
  }

  url(page = ""): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/${page}`;
  }
}

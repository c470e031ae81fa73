import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";

const ROOT = join(__dirname, "../..");
const VITEPRESS = join(ROOT, "node_modules/vitepress/bin/vitepress.js");

describe("The site", () => {
  let site: string;
  before("build it; a link that leads nowhere fails the build", () => {
    site = mkdtempSync(join(tmpdir(), "tunnelplane-site-"));
    execFileSync(process.execPath, [VITEPRESS, "build", "docs", "--outDir", site], {
      cwd: ROOT,
      stdio: "pipe",
    });
  });
  after(() => rmSync(site, { recursive: true, force: true }));

  it("has every page of the documentation, but those on how the code is built", () => {
    const written = execFileSync(
      "git",
      ["ls-files", "--cached", "--others", "--exclude-standard", "docs/*.md"],
      {
        cwd: ROOT,
        encoding: "utf8",
      },
    );
    const pages = written
      .split("\n")
      .filter((path) => path && !path.startsWith("docs/architecture/") && existsSync(join(ROOT, path)));
    const missing = pages.filter(
      (path) =>
        !existsSync(
          join(
            site,
            path
              .slice("docs/".length)
              .replace(/(README|index)?\.md$/, (_, name) => (name ? "index.html" : ".html")),
          ),
        ),
    );
    expect(missing).to.deep.equal([]);
    expect(pages).to.have.length.above(25);
  });

  it("names each page in its list of pages or as part of one", () => {
    const listed = readFileSync(join(site, "tutorial.html"), "utf8");
    for (const page of [
      "concepts",
      "errors",
      "settings",
      "commands",
      "how-to/mutual-tls",
      "how-to/oidc",
      "how-to/ssh-certificates",
      "how-to/event-pipelines",
      "how-to/guarantees",
      "how-to/ends",
      "how-to/accounts",
      "how-to/roles",
      "how-to/teams",
      "how-to/move",
      "how-to/ci",
      "how-to/ask",
      "how-to/traffic",
      "adopt",
      "policies",
      "gateway",
      "faq",
      "glossary",
      "support",
    ])
      expect(listed, page).to.contain(`href="/${page}.html"`);
  });

  it("searches without a service: the index is part of it", () => {
    const chunks = readdirSync(join(site, "assets/chunks")).filter((name) =>
      name.includes("localSearchIndex"),
    );
    const index = chunks.map((name) => readFileSync(join(site, "assets/chunks", name), "utf8")).join("");
    for (const word of ["TP_1501", "mutual TLS", "recover", "listen"]) expect(index).to.contain(word);
  });

  it("loads nothing from elsewhere", () => {
    const pages = readdirSync(site, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".html"),
    );
    const foreign = pages.flatMap((name) =>
      [
        ...readFileSync(join(site, name), "utf8").matchAll(
          /<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)="(https?:)?\/\/[^"]*"/g,
        ),
      ].map(([tag]) => `${name}: ${tag}`),
    );
    expect(foreign).to.deep.equal([]);
  });
});

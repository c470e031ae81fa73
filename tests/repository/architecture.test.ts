import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";

const ROOT = join(__dirname, "../..");
const PAGES = join(ROOT, "docs/architecture");
const SOURCES = ["sdk", "server", "provider", "gateway"].flatMap((part) =>
  readdirSync(join(ROOT, part, "src"), { recursive: true, encoding: "utf8" }).map((file) => `${part}/src/${file}`),
);

describe("The pages about the architecture", () => {
  for (const page of readdirSync(PAGES))
    it(`name only files that exist: ${page}`, () => {
      const named = readFileSync(join(PAGES, page), "utf8").match(/[\w/]+\.ts\b/g) ?? [];
      const missing = named.filter((name) => !SOURCES.some((file) => file.endsWith(`/${name}`)));
      expect(missing).to.deep.equal([]);
    });
});

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(__dirname, "../..");
const PACKAGES = ["sdk", "server", "provider", "plugin", "gateway", "policies"];
/** Every file and folder of the sources; a folder ends with a slash. */
const SOURCES = PACKAGES.flatMap((part) =>
  readdirSync(join(ROOT, part, "src"), { recursive: true, withFileTypes: true }).map(
    (one) => `${join(one.parentPath, one.name).slice(ROOT.length)}${one.isDirectory() ? "/" : ""}`,
  ),
);

/** The names of code on a page: files wherever they stand, and folders in backticks. */
function namesIn(page: string): string[] {
  const text = readFileSync(join(ROOT, page), "utf8");
  return [
    ...(text.match(/(?<![\w./-])[\w/]+(?:\.full)?(?:\.test)?\.ts\b/g) ?? []),
    ...[...text.matchAll(/`([a-z][\w/]*\/)`/g)].map(([, name = ""]) => name),
  ];
}

const exists = (name: string): boolean =>
  existsSync(join(ROOT, name)) || SOURCES.some((one) => one.endsWith(`/${name}`));

describe("The pages about architecture and security, and the glossary,", () => {
  const pages = readdirSync(join(ROOT, "docs/architecture")).map((page) => `docs/architecture/${page}`);
  for (const page of [...pages, "docs/glossary.md", "SECURITY.md"])
    it(`name only files and folders that exist: ${page}`, () => {
      expect(namesIn(page).filter((name) => !exists(name))).to.deep.equal([]);
    });

  it("name files and folders at all", () => {
    expect(pages.flatMap(namesIn)).to.have.length.greaterThan(50);
    expect(namesIn("docs/glossary.md")).to.have.length.greaterThan(10);
  });
});

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const ROOT = join(__dirname, "../..");
const { publishedPackages } = require("../../tools/scripts/packages.cjs") as {
  publishedPackages(): { manifest: { name: string; bin?: Record<string, string> } }[];
};
/** How many casts each package may have per 1,000 lines: values that tell their types need none. */
const MAX_CASTS = { sdk: 5, server: 5, provider: 10, plugin: 10, gateway: 10, policies: 10 };
const WIDEST = 110;

/** Files that somebody writes by hand, with their texts. */
function sourcesIn(...folders: string[]): { path: string; text: string }[] {
  const listed = execFileSync("git", ["ls-files", ...folders.map((folder) => `${folder}/*.ts`)], {
    cwd: ROOT,
    encoding: "utf8",
  });
  return listed
    .split("\n")
    .filter((path) => path && !path.includes("generated"))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));
}

/** A type that code claims: `x as T`, `<T>x` and `x!`, but not `as const`, which claims nothing. */
const isCast = (node: ts.Node): boolean =>
  ts.isNonNullExpression(node) ||
  ((ts.isAsExpression(node) || ts.isTypeAssertionExpression(node)) && !ts.isConstTypeReference(node.type));

function countCasts(text: string): number {
  let count = 0;
  const look = (node: ts.Node): void => {
    if (isCast(node)) count++;
    ts.forEachChild(node, look);
  };
  look(ts.createSourceFile("source.ts", text, ts.ScriptTarget.Latest));
  return count;
}

describe("The sources", () => {
  for (const [name, max] of Object.entries(MAX_CASTS))
    it(`of ${name} have at most ${max} casts per 1,000 lines`, () => {
      const texts = sourcesIn(`${name}/src`).map(({ text }) => text);
      const lines = texts.reduce((sum, text) => sum + text.split("\n").length, 0);
      const casts = texts.reduce((sum, text) => sum + countCasts(text), 0);
      expect(lines).to.be.greaterThan(0);
      expect((casts * 1000) / lines, `${casts} casts in ${lines} lines`).to.be.at.most(max);
    });

  it(`have no comment that is wider than ${WIDEST} columns`, () => {
    const sources = sourcesIn(...Object.keys(MAX_CASTS), "tests");
    const wide = sources.flatMap(({ path, text }) =>
      text
        .split("\n")
        .flatMap((line, index) =>
          line.length > WIDEST && /^\s*(\/\/|\/\*\*|\*) (?!biome-ignore)/.test(line)
            ? `${path}:${index + 1}`
            : [],
        ),
    );
    expect(wide).to.deep.equal([]);
  });
});

describe("The packages", () => {
  const names = publishedPackages().map(({ manifest }) => manifest.name);
  const isOurs = (word: string) => names.includes(word.replace(/(?<=.)@[^/]*$/, ""));

  it("have no two commands of one name, so that all can be installed in one folder", () => {
    const commands = publishedPackages().flatMap(({ manifest }) => Object.keys(manifest.bin ?? {}));
    expect(commands).to.include("tunnelplane");
    expect(commands).to.deep.equal([...new Set(commands)]);
  });

  it("are installed from tarballs by every line of the documents, until their names are ours", () => {
    const listed = execFileSync("git", ["ls-files", "*.md"], { cwd: ROOT, encoding: "utf8" });
    const fromRegistry = listed.split("\n").flatMap((path) => {
      const text = path ? readFileSync(join(ROOT, path), "utf8") : "";
      return [...text.matchAll(/\b(?:npm|pnpm|yarn) (?:install|i|add|create)\b([^`#\n]*)/g)].flatMap(
        ([command, named = ""]) => (named.split(/\s+/).some(isOurs) ? `${path}: ${command}` : []),
      );
    });
    expect(fromRegistry).to.deep.equal([]);
  });
});

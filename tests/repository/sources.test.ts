import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import ts from "typescript";
import { CASTS } from "./casts";

const ROOT = join(__dirname, "../..");
/** How many casts each package may have per 1,000 lines: values that tell their types need none. */
const MOST_CASTS = { sdk: 5, server: 5, provider: 10, plugin: 10, gateway: 10, policies: 10 };
const WIDEST = 110;
/** The characters of a cast that casts.ts has. */
const SHOWN = 50;

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

/** The casts in a file, each in one line: its last characters, which hold the type. */
function castsIn(text: string): string[] {
  const file = ts.createSourceFile("source.ts", text, ts.ScriptTarget.Latest);
  const found: string[] = [];
  const look = (node: ts.Node): void => {
    if (isCast(node)) {
      const cast = node.getText(file).replace(/\s+/g, " ");
      found.push(cast.length > SHOWN ? `…${cast.slice(1 - SHOWN)}` : cast);
    }
    ts.forEachChild(node, look);
  };
  look(file);
  return found;
}

/** Some texts without others, each as often as it stands there. */
function without(some: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return some.filter((text) => {
    const at = left.indexOf(text);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

describe("The sources", () => {
  for (const [name, most] of Object.entries(MOST_CASTS))
    it(`of ${name} have at most ${most} casts per 1,000 lines`, () => {
      const texts = sourcesIn(`${name}/src`).map(({ text }) => text);
      const lines = texts.reduce((sum, text) => sum + text.split("\n").length, 0);
      const casts = texts.reduce((sum, text) => sum + castsIn(text).length, 0);
      expect(lines).to.be.greaterThan(0);
      expect((casts * 1000) / lines, `${casts} casts in ${lines} lines`).to.be.at.most(most);
    });

  it("have a reason in casts.ts for each cast", () => {
    const named = (path: string, casts: readonly string[]) => casts.map((cast) => `${path}: ${cast}`);
    const sources = sourcesIn(...Object.keys(MOST_CASTS).map((name) => `${name}/src`));
    const found = sources.flatMap(({ path, text }) => named(path, castsIn(text)));
    const known = CASTS.flatMap(({ casts }) => Object.entries(casts)).flatMap(([path, texts]) =>
      named(path, texts),
    );
    expect(without(found, known), "casts without a reason: narrow the value, or add it").to.deep.equal([]);
    expect(without(known, found), "casts in casts.ts that are gone").to.deep.equal([]);
  });

  it(`have no comment that is wider than ${WIDEST} columns`, () => {
    const sources = sourcesIn(...Object.keys(MOST_CASTS), "tests");
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

import fc from "fast-check";
import { RE2JS } from "re2js";
import {
  cellsOf,
  HEADER_VALUES,
  type Language,
  METHODS,
  namesBelow,
  PATHS,
  type TextTest,
  TooLarge,
} from "../../../sdk/src/meaning/languages";
import { LIMIT_MS, size } from "../../support/size";

/** Everything, control characters too. */
const ANYTHING: Language = { characters: [[0, 0xd7ff]], all: [], none: [], familiar: [] };
const finds = (pattern: string, text: string): boolean => RE2JS.compile(pattern).matcher(text).find();
const holds = (test: TextTest, text: string): boolean => {
  if ("any" in test) return test.any.some((one) => holds(one, text));
  if ("exact" in test) return text === test.exact;
  if ("prefix" in test) return text.startsWith(test.prefix);
  if ("suffix" in test) return text.endsWith(test.suffix);
  if ("contains" in test) return text.includes(test.contains);
  return finds(test.regex, text);
};
/** What the automata say of one text: the cell of the language that holds nothing else. */
const answers = (text: string, tests: readonly TextTest[]): readonly boolean[] | undefined =>
  cellsOf({ ...ANYTHING, all: [{ exact: text }] }, tests)[0]?.holds;

const character = fc.constantFrom(..."abkKsxYZ019_-./ é\n");
const text = fc.string({ unit: character, maxLength: 8 });
/** Parts that find something, and places. */
const part = fc.oneof(
  fc.string({ unit: fc.constantFrom(..."abkKsx01_é"), minLength: 1, maxLength: 3 }),
  fc.constantFrom(
    ".",
    "[ab]",
    "[^a]",
    "[a-k]",
    "\\d",
    "\\w",
    "\\W",
    "\\s",
    "[[:upper:]]",
    "\\pL",
    "[^\\x00-\\x7f]",
  ),
  fc.constantFrom(
    "^",
    "$",
    "\\b",
    "\\B",
    "\\A",
    "\\z",
    "(?m:^)",
    "(?m:$)",
    "(?s:.)",
    "(?i:k)",
    "(?i:s)",
    "(?i:É)",
  ),
);
const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    part,
    fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => a + b),
    fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => `(?:${a}|${b})`),
    fc
      .tuple(tie("pattern"), fc.constantFrom("*", "+", "?", "*?", "{2}", "{1,3}", "{0,2}?"))
      .map(([a, times]) => `(?:${a})${times}`),
    fc.tuple(fc.constantFrom("(", "(?i:", "(?s:", "(?m:"), tie("pattern")).map(([open, a]) => `${open}${a})`),
  ),
}));
const test: fc.Arbitrary<TextTest> = fc.oneof(
  { weight: 5, arbitrary: pattern.map((regex) => ({ regex })) },
  { weight: 1, arbitrary: text.map((exact) => ({ exact })) },
  { weight: 1, arbitrary: text.map((prefix) => ({ prefix })) },
  { weight: 1, arbitrary: text.map((suffix) => ({ suffix })) },
  { weight: 1, arbitrary: text.map((contains) => ({ contains })) },
  {
    weight: 1,
    arbitrary: fc
      .array(
        pattern.map((regex) => ({ regex })),
        { maxLength: 3 },
      )
      .map((any) => ({ any })),
  },
);
const property = { seed: 20261123, numRuns: size(300, 5_000) };

describe("sample texts that stand for all others", function () {
  this.timeout(LIMIT_MS);

  it("answer every test as RE2 does", () => {
    fc.assert(
      fc.property(test, fc.array(text, { maxLength: 6 }), (one, texts) => {
        for (const each of texts)
          expect(answers(each, [one]), JSON.stringify(each)).to.eql([holds(one, each)]);
      }),
      property,
    );
  });

  it("stand for every combination of answers, and truly give it", () => {
    fc.assert(
      fc.property(fc.array(test, { maxLength: 4 }), fc.array(text, { maxLength: 20 }), (tests, texts) => {
        const cells = undecided(() => cellsOf(ANYTHING, tests));
        const found = new Set(cells.map((cell) => cell.holds.join()));
        expect(found.size).to.equal(cells.length);
        for (const cell of cells)
          expect(cell.holds, cell.text).to.eql(tests.map((one) => holds(one, cell.text)));
        for (const each of cells.length > 0 ? texts : [])
          expect(found, each).to.include(tests.map((one) => holds(one, each)).join());
      }),
      property,
    );
  });

  it("are short and readable", () => {
    const textsFor = (language: Language, ...tests: TextTest[]) =>
      cellsOf(language, tests).map((cell) => cell.text);
    expect(textsFor(PATHS, { prefix: "/admin" }, { regex: "^/api/v[0-9]+/" })).to.eql([
      "/",
      "/admin",
      "/api/v0/",
    ]);
    expect(textsFor(HEADER_VALUES, { regex: "(?i)bot" }, { regex: "^curl/\\d" })).to.eql([
      "",
      "bot",
      "curl/0",
      "curl/0bot",
    ]);
    expect(textsFor(METHODS, { exact: "OPTIONS" }, { regex: "^G" })).to.eql(["GET", "POST", "OPTIONS"]);
    expect(textsFor(namesBelow("w.test", ["www.w.test"]), { prefix: "adm" })).to.eql([
      "app.w.test",
      "adm.w.test",
    ]);
  });

  it("are paths that gateways take as they are", () => {
    const wrong = "// /./ /../ ; ? \\ %2f %2F %5c %3B %41 %7e #".split(" ");
    for (const regex of [...wrong.map((one) => one.replace(/[.?\\]/g, "\\$&")), " ", "/[.]$", "/[.][.]$"])
      expect(cellsOf(PATHS, [{ regex }]), regex).to.eql([{ text: "/", holds: [false] }]);
    for (const regex of ["/[.]{3}", "%20", "%C3%A9", "[.]$", "/$"])
      expect(
        cellsOf(PATHS, [{ regex }]).some((cell) => cell.holds[0]),
        regex,
      ).to.equal(true);
  });

  it("are values that headers may hold, and names one label long", () => {
    for (const regex of ["\\n", "\\x00", "^ ", "\\t$"])
      expect(cellsOf(HEADER_VALUES, [{ regex }])).to.have.length(1);
    for (const contains of ["a.b.", "A"])
      expect(cellsOf(namesBelow("w.test", []), [{ contains }])).to.have.length(1);
  });
});

/** Nothing where a question is too large. */
function undecided<T>(question: () => readonly T[]): readonly T[] {
  try {
    return question();
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    return [];
  }
}

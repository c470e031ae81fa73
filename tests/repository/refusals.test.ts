import { join } from "node:path";

const { refusalsAlone }: { refusalsAlone: (path: string, text: string) => { line: number; name: string }[] } =
  require("../../tools/scripts/refusals.cjs");

let files = 0;
/** The names of the cases that the rule finds in a file that has this one. */
const found = (body: string, before = ""): string[] => {
  const text = `import { refusedBeside } from "../support/refusal";
import { Running } from "../gateway/running";
${before}
it("keeps others out", async () => {${body}});`;
  return refusalsAlone(join(__dirname, `case${++files}.test.ts`), text).map(({ name }) => name);
};

describe("The rule that a refusal is shown beside what is allowed", () => {
  it("finds cases with a refusal only: a status, an error of the API, a closed connection, an empty call of the helper", () => {
    for (const body of [
      "expect((await get()).status).to.equal(403);",
      "expect([await get(), await get()]).to.deep.equal([401, 403]);",
      "expectRefused(await get(), notFound);",
      'expect(await ask()).to.equal("closed");',
      "expect(await ask()).to.match(/ECONNREFUSED|reset/);",
      'await running.becomes(403, "app.example.com");',
      "await running.until(async () => (await ask()).status === 421);",
      "for (const [status, ask] of [[404, get]]) expect((await ask()).status).to.equal(status);",
      "expect(await get()).to.equal(404); await refusedBeside({ refused: async () => 403, as: 403, allowed: async () => 200 });",
      "expect(await get()).to.equal(404); await refusedBeside({ refused: [], as: 403, allowed: () => get(mine) });",
    ])
      expect(found(`${body} expectRefused(await get(), notFound);`), body).to.deep.equal([
        "keeps others out",
      ]);
    const helper = "const isKeptOut = async () => expect((await get()).status).to.equal(404);";
    expect(found("await isKeptOut();", helper), "a function of the file").to.deep.equal(["keeps others out"]);
  });

  it("lets cases pass that show both, by the helper, through a function or in one comparison, and those of no refusal", () => {
    const both = "await refusedBeside({ refused: () => get(theirs), as: 403, allowed: () => get(mine) });";
    for (const [body, before] of [
      [both],
      ["await isKeptOut();", `async function isKeptOut() { ${both} }`],
      ["expect([await get(mine), await get(theirs)]).to.deep.equal([200, 403]);"],
      ["const world = { status_code: 404 }; expect(await serve(world)).to.equal(1);"],
      ["expect(port).to.equal(443); await standIn(403);"],
    ] as const)
      expect(found(body, before), body).to.deep.equal([]);
  });
});

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Result } from "../../tools/bench/report/result";
import { newFolder } from "../support/folder";

const ROOT = join(__dirname, "../..");
const MAIN = ["--disable-warning=ExperimentalWarning", "-r", "./tests/setup.cjs", "tools/bench/main.ts"];

const PARTS =
  "server peers overload provider growth signing events changesets gateway meaning guarantees teams search".split(
    " ",
  );

describe("The benchmark", () => {
  it("writes every figure as JSON, with the machine, the date and the commit, and prints the same", () => {
    const folder = newFolder();
    const out = join(folder, "result.json");
    const printed = execFileSync(process.execPath, [...MAIN, "--short", "--only", "signing", "--out", out], {
      cwd: ROOT,
      encoding: "utf8",
    });
    const result = JSON.parse(readFileSync(out, "utf8")) as Result;
    expect(Date.parse(result.date)).to.be.a("number").that.is.not.NaN;
    expect(result).to.include({ node: process.versions.node, short: true });
    expect(result.commit).to.match(/^([0-9a-f]{12}\+?|unknown)$/);
    expect(result.machine.cores).to.be.at.least(1);
    const [signing] = result.sections;
    expect(signing?.rows.map(({ type }) => type)).to.deep.equal([
      "ed25519",
      "ECDSA P-256",
      "ECDSA P-384",
      "ECDSA P-521",
      "RSA 2048",
      "RSA 4096",
    ]);
    for (const row of signing?.rows ?? []) {
      expect(row.certificates, `${row.type}`).to.be.a("number").above(0);
      expect(row.floor, `${row.type}`).to.be.a("number").above(0);
      expect(printed).to.contain(row.type);
    }
  });

  // Figures of such a run say nothing; benchmarks that no test started broke unseen.
  it("runs each of its parts, in the shortest form", function () {
    this.timeout(30 * 60_000); // 150 s on a quiet machine
    const folder = newFolder();
    const out = join(folder, "result.json");
    execFileSync(process.execPath, [...MAIN, "--shortest", "--beside", ROOT, "--out", out], { cwd: ROOT });
    const { sections } = JSON.parse(readFileSync(out, "utf8")) as Result;
    for (const { title, rows } of sections) expect(rows, title).not.to.be.empty;
    expect([...new Set(sections.map(({ part }) => part))]).to.have.members(PARTS);
  });

  it("lists its parts if asked for an unknown one", () => {
    const run = () =>
      execFileSync(process.execPath, [...MAIN, "--only", "speed"], {
        cwd: ROOT,
        encoding: "utf8",
        stdio: "pipe",
      });
    expect(run).to.throw(`There is no part "speed" to measure; parts: ${PARTS.join(", ")}`);
  });
});

// The table of tests/README.md: what each test file costs. Runs are shared out by it, and
// `npm test -- --table` writes it anew.
const { existsSync, readFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");

const TESTS = join(__dirname, "..", "tests");
const PAGE = join(TESTS, "README.md");
const BEGIN = "<!-- costs: written by npm test -- --table -->\n";
const END = "<!-- end of costs -->\n";
const HEAD = `| File | Wall s | CPU s | Engines | Servers | Envoys |
|---|---:|---:|---:|---:|---:|
`;
const ROW = /^\| `(.+?)` \| (\S+) \| (\S+) \| (\d+|–) \| (\d+|–) \| (\d+|–) \|$/gm;

/** What each file cost when the table was written, by its path below tests/. */
function readCosts() {
  const rows = readFileSync(PAGE, "utf8").matchAll(ROW);
  return new Map(
    [...rows].map(([, file, wall, cpu, engines, servers, envoys]) => [
      file,
      { wall: Number(wall), cpu: Number(cpu), engines, servers, envoys },
    ]),
  );
}

/** Writes the costs of the files that ran into the table, and leaves out files that are gone. */
function writeCosts(measured) {
  const costs = new Map([...readCosts(), ...measured]);
  const rows = [...costs]
    .filter(([file]) => existsSync(join(TESTS, file)))
    .sort(([, a], [, b]) => b.cpu - a.cpu)
    .map(([file, { wall, cpu, ...starts }]) => [
      `\`${file}\``,
      wall.toFixed(1),
      cpu.toFixed(1),
      ...Object.values(starts),
    ])
    .map((cells) => `| ${cells.join(" | ")} |\n`);
  const [before, rest] = readFileSync(PAGE, "utf8").split(BEGIN);
  const [, after] = rest.split(END);
  writeFileSync(PAGE, `${before}${BEGIN}\n${HEAD}${rows.join("")}\n${END}${after}`);
}

module.exports = { readCosts, writeCosts };

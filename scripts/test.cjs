// Runs the tests, each folder of tests/ in a process of its own, two at a time: most of a test is waiting for other processes.
// What a folder prints comes when it is done, as a whole.
const { spawn } = require("node:child_process");
const { readdirSync } = require("node:fs");
const { join } = require("node:path");

const ROOT = join(__dirname, "..");
const AT_ONCE = 2;
/** Those that take longest begin first; the rest in any order. */
const LONGEST = ["trust", "api", "provider", "server", "examples", "events"];

const rank = (name) => (LONGEST.includes(name) ? LONGEST.indexOf(name) : LONGEST.length);
const folders = readdirSync(join(ROOT, "tests"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort((a, b) => rank(a) - rank(b));

const total = { passed: 0, failed: 0, skipped: 0 };
/** What mocha says of the tests that failed, told again at the very end: the tail of a long log is what people read. */
const failures = [];
let broken = false;

async function worker() {
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    const { output, code } = await run(folder);
    console.log(`\n──── tests/${folder}\n${output.trimEnd()}`);
    const last = /(\d+) passed, (\d+) failed(?:, (\d+) skipped)?\s*$/.exec(output.trimEnd());
    total.passed += Number(last?.[1] ?? 0);
    total.failed += Number(last?.[2] ?? 0);
    total.skipped += Number(last?.[3] ?? 0);
    const failed = /^ +\d+ failing$[\s\S]*/m.exec(output)?.[0];
    if (failed) failures.push(`tests/${folder}:\n${failed.trimEnd()}`);
    if (code !== 0) broken = true;
    if (!last) console.log(`tests/${folder} ended with ${code} before its tests were done`);
  }
}

function run(folder) {
  const args = [join(ROOT, "node_modules/mocha/bin/mocha.js"), `tests/${folder}/**/*.test.ts`];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk) => {
      output += chunk;
    });
  return new Promise((resolve) => child.once("close", (code) => resolve({ output, code })));
}

Promise.all(Array.from({ length: AT_ONCE }, worker)).then(() => {
  const { passed, failed, skipped } = total;
  for (const failure of failures) console.log(`\n──── failed in ${failure}`);
  console.log(`\nAll folders: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  process.exitCode = broken ? 1 : 0;
});

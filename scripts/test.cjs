// Runs the tests, each folder of tests/ in a process of its own, two at a time: most of a test is waiting for
// other processes. Prints a line for each file as it ends. Arguments are folders and files; without any, all
// run. The whole report of each folder goes into a log file, and, where a test failed, to the end. `--table`
// writes what each file cost into the table of tests/README.md.
const { spawn } = require("node:child_process");
const {
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} = require("node:fs");
const { dirname, join } = require("node:path");
const { writeCosts } = require("./testTable.cjs");

const ROOT = join(__dirname, "..");
const KEPT = join(ROOT, "node_modules", ".tunnelplane");
const LOGS = join(KEPT, "test-logs");
const DURATION = join(KEPT, "test-minutes");
const USUAL_MINUTES = 50; // on 2 cores, November 2026
const AT_ONCE = 2;
/** Those that take longest begin first; the rest in any order. */
const LONGEST = [
  "trust/attacks",
  "trust",
  "api",
  "adopt",
  "provider",
  "plugin",
  "server",
  "gateway",
  "examples",
  "events",
];

const TABLE = "--table";
const TESTS = join(ROOT, "tests");

const rank = (name) => (LONGEST.includes(name) ? LONGEST.indexOf(name) : LONGEST.length);
/** Every test file, however deep. */
const files = readdirSync(TESTS, { recursive: true })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".test.ts") && !file.includes("node_modules"));
const wanted = process.argv
  .slice(2)
  .filter((one) => one !== TABLE)
  .map((one) => one.replace(/^tests\//, "").replace(/\/$/, ""));
const isIn = (file, one) => file === one || file.startsWith(`${one}/`);
const isWanted = (file) => wanted.length === 0 || wanted.some((one) => isIn(file, one));
const jobs = [...Map.groupBy(files.filter(isWanted), dirname)].sort(
  ([a], [b]) => rank(a) - rank(b) || a.localeCompare(b),
);

const unknown = wanted.filter((one) => !files.some((file) => isIn(file, one)));
if (unknown.length > 0) {
  const known = [...new Set(files.map((file) => file.split("/")[0]))].sort();
  console.error(`There is no test in ${unknown.join(", ")} of tests/; the folders are ${known.join(", ")}`);
  process.exit(2);
}

const total = { passed: 0, failed: 0, skipped: 0 };
const started = Date.now();
/**
 * Mocha's reports of failed tests, printed again at the very end: the tail of a long log is what people
 * read.
 */
const failures = [];
let broken = false;
/** How many files have not ended yet. */
let left = files.filter(isWanted).length;
const costs = new Map();

mkdirSync(LOGS, { recursive: true });
const minutes = existsSync(DURATION)
  ? `${readFileSync(DURATION, "utf8")} minutes last time`
  : `about ${USUAL_MINUTES} minutes on two cores`;
console.log(
  `Running the tests of ${jobs.length} folders: ${minutes}. A line for each file as it ends; whole reports in ${LOGS}`,
);

async function worker() {
  for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
    const [folder, files] = job;
    const { output, code, reported } = await run(folder, files);
    const failed = /^ +\d+ failing$[\s\S]*/m.exec(output)?.[0];
    const tests = reported.passed + reported.failed + reported.skipped.length;
    if (failed) failures.push(`tests/${folder}:\n${failed.trimEnd()}`);
    else if (code !== 0 || tests === 0)
      failures.push(`tests/${folder}: ended with ${code} after ${tests} tests\n${output.slice(-4000)}`);
    if (code !== 0 || tests === 0) broken = true;
    total.passed += reported.passed;
    total.failed += reported.failed;
    total.skipped += reported.skipped.length;
  }
}

function run(folder, files) {
  // Mocha's own command starts a process for Node's options, which could not report to this one.
  const args = [
    "--disable-warning=ExperimentalWarning",
    join(ROOT, "node_modules/mocha/lib/cli/cli.js"),
    "--exit",
    ...files.map((file) => `tests/${file}`),
  ];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe", "ipc"] });
  const log = createWriteStream(join(LOGS, `${folder.replaceAll("/", "-")}.log`));
  const reported = { passed: 0, failed: 0, skipped: [] };
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk) => {
      output += chunk;
      log.write(chunk);
    });
  child.on("message", (file) => {
    tell(file);
    reported.passed += file.passed;
    reported.failed += file.failed;
    reported.skipped.push(...file.skipped);
  });
  return new Promise((resolve) =>
    child.once("close", (code) => {
      log.end();
      resolve({ output, code, reported });
    }),
  );
}

function tell({ file, passed, failed, skipped, cost }) {
  costs.set(file.replaceAll("\\", "/").replace(/^tests\//, ""), cost);
  const counts = [
    `${passed} passed`,
    failed && `${failed} failed`,
    skipped.length && `${skipped.length} skipped`,
  ]
    .filter(Boolean)
    .join(", ");
  left--;
  console.log(
    `${failed ? "✗" : "✓"} ${file}: ${counts} (${cost.wall.toFixed(1)} s, CPU ${cost.cpu.toFixed(1)} s), ${left} ${left === 1 ? "file" : "files"} left`,
  );
  for (const title of skipped) console.log(`    skipped: ${title}`);
}

Promise.all(Array.from({ length: AT_ONCE }, worker)).then(() => {
  const { passed, failed, skipped } = total;
  for (const failure of failures) console.log(`\n──── failed in ${failure}`);
  if (!broken && wanted.length === 0)
    writeFileSync(DURATION, String(Math.max(1, Math.round((Date.now() - started) / 60_000))));
  if (process.argv.includes(TABLE)) writeCosts(costs);
  console.log(`\nTotal: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  process.exitCode = broken ? 1 : 0;
});

// Runs the tests: files that take long in a process each, the others of a folder together, a few processes at
// once, because much of a test is waiting. The longest begin first. Prints a line for each file as it
// ends. Arguments are folders and files; without any, all run. The whole report of each process goes into a log
// file, and, where a test failed, to the end. `--table` writes what each file cost into the table of
// tests/README.md.
const { execFileSync, spawn } = require("node:child_process");
const { createWriteStream, existsSync, mkdirSync, readdirSync } = require("node:fs");
const { readFileSync, rmSync, writeFileSync } = require("node:fs");
const { availableParallelism } = require("node:os");
const { dirname, join } = require("node:path");
const { readCosts, writeCosts } = require("./testTable.cjs");

const ROOT = join(__dirname, "..");
const TESTS = join(ROOT, "tests");
const KEPT = join(ROOT, "node_modules", ".tunnelplane");
const LOGS = join(KEPT, process.env.TESTS_LOGS ?? "test-logs");
const DURATION = join(KEPT, "test-minutes");
const USUAL_MINUTES = 17; // on 2 cores, November 2026
/** More than processors, because a file waits for two fifths of its time. */
const AT_ONCE = 2 * availableParallelism();
/** Files of a folder share a process up to so many seconds of processors; its start takes one. */
const MOST_TOGETHER = 10;
/** The cost of a file that is not in the table. */
const UNKNOWN = { cpu: 5, wall: 10 };
const TABLE = "--table";

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

const unknown = wanted.filter((one) => !files.some((file) => isIn(file, one)));
if (unknown.length > 0) {
  const known = [...new Set(files.map((file) => file.split("/")[0]))].sort();
  console.error(`There is no test in ${unknown.join(", ")} of tests/; the folders are ${known.join(", ")}`);
  process.exit(2);
}

const table = readCosts();
const costOf = (file) => table.get(file) ?? UNKNOWN;
const sum = (files, field) => files.reduce((total, file) => total + costOf(file)[field], 0);
const jobs = [...Map.groupBy(files.filter(isWanted), dirname).values()]
  .flatMap(shared)
  .sort((a, b) => sum(b, "wall") - sum(a, "wall"));

/** Shares the files of a folder out to processes. */
function shared(files) {
  const groups = [];
  for (const file of files.toSorted((a, b) => costOf(b).cpu - costOf(a).cpu)) {
    const group = groups.find((one) => sum(one, "cpu") + costOf(file).cpu <= MOST_TOGETHER);
    if (group) group.push(file);
    else groups.push([file]);
  }
  return groups;
}

const total = { passed: 0, failed: 0, skipped: 0 };
const started = Date.now();
/** Mocha's words for the tests that failed, printed again at the end, which is what people read of a long log. */
const failures = [];
let broken = false;
/** How many files have not ended yet. */
let left = files.filter(isWanted).length;
const costs = new Map();
const running = new Set();

rmSync(LOGS, { recursive: true, force: true });
mkdirSync(LOGS, { recursive: true });
const minutes = existsSync(DURATION)
  ? `${readFileSync(DURATION, "utf8")} minutes last time`
  : `about ${USUAL_MINUTES} minutes on two cores`;
console.log(
  `Running ${left} test files: ${wanted.length > 0 ? "all take " : ""}${minutes}. A line for each as it ends; whole reports in ${LOGS}`,
);

async function worker(env) {
  for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
    const { output, code, reported } = await run(job, env);
    const name = job.length === 1 ? `tests/${job[0]}` : `tests/${dirname(job[0])}`;
    const failed = /^ +\d+ failing$[\s\S]*/m.exec(output)?.[0];
    const tests = reported.passed + reported.failed + reported.skipped.length;
    if (failed) failures.push(`${name}:\n${failed.trimEnd()}`);
    else if (code !== 0 || tests === 0)
      failures.push(`${name}: ended with ${code} after ${tests} tests\n${output.slice(-4000)}`);
    if (code !== 0 || tests === 0) broken = true;
    total.passed += reported.passed;
    total.failed += reported.failed;
    total.skipped += reported.skipped.length;
  }
}

function run(job, env) {
  // Mocha's own command starts a process for Node's options, which could not report to this one.
  const args = [
    "--disable-warning=ExperimentalWarning",
    "--min-semi-space-size=32", // as .mocharc.json has it
    join(ROOT, "node_modules/mocha/lib/cli/cli.js"),
    "--exit",
    ...job.map((file) => `tests/${file}`),
  ];
  // In a session of its own, by which all that it starts is found.
  const options = { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe", "ipc"], detached: true };
  const child = spawn(process.execPath, args, options);
  running.add(child);
  const log = createWriteStream(join(LOGS, `${job[0].replaceAll("/", "-").replace(/\.test\.ts$/, "")}.log`));
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
      running.delete(child);
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

/** Ends running jobs, and the engines, plugins, servers and Envoys that they started, some in groups of their own. */
function endRunning() {
  const sessions = new Set([...running].map(({ pid }) => pid));
  for (let left = processesIn(sessions); left.length > 0; left = processesIn(sessions))
    for (const pid of left) kill(pid);
}

/** The processes of some sessions that have not ended. */
const processesIn = (sessions) =>
  execFileSync("ps", ["-eo", "pid=,sess=,stat="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((row) => row.trim().split(/\s+/))
    .filter(([, session, state]) => sessions.has(Number(session)) && !state.startsWith("Z"))
    .map(([pid]) => Number(pid));

function kill(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH") throw error; // it has ended
  }
}

/** One PostgreSQL for all processes: each would take two seconds of a processor to start its own. */
async function startPostgres() {
  require("../tests/typescript.cjs");
  const { PostgresServer } = require("../tests/support/postgres.ts");
  return PostgresServer.start();
}

async function main() {
  const starting = jobs.length > 1 ? startPostgres() : undefined;
  for (const signal of ["SIGINT", "SIGTERM"])
    process.once(signal, async () => {
      jobs.length = 0;
      endRunning();
      await (await starting)?.stop();
      process.exit(1);
    });
  const postgres = await starting;
  const env = { ...process.env, ...(postgres && { TESTS_POSTGRES: postgres.url }) };
  await Promise.all(Array.from({ length: AT_ONCE }, () => worker(env)));
  await postgres?.stop();
  const { passed, failed, skipped } = total;
  for (const failure of failures) console.log(`\n──── failed in ${failure}`);
  if (!broken && wanted.length === 0)
    writeFileSync(DURATION, String(Math.max(1, Math.round((Date.now() - started) / 60_000))));
  if (process.argv.includes(TABLE)) writeCosts(costs);
  console.log(`\nTotal: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  // PostgreSQL's package ends a process that comes to its end by itself with 0, whatever exitCode says.
  process.exit(broken ? 1 : 0);
}

main();

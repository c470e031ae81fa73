// Runs the tests in Mocha's parallel mode, those that take longest first (tests/seconds.json), with one PostgreSQL
// for all. Without arguments: the files that a newcomer waits for; `--all`: every file; `--rest`: what `--all` has
// besides (`*.full.test.ts`); else the folders and files of tests/ that are named. A file that fails is run once
// more, alone, when the others have ended. `--seconds` writes down how long each file took.
const { execFileSync, spawn, spawnSync } = require("node:child_process");
const { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require("node:fs");
const { availableParallelism, tmpdir } = require("node:os");
const { join } = require("node:path");
require("../../tests/setup.cjs");

const ROOT = join(__dirname, "../..");
const SECONDS = join(ROOT, "tests/seconds.json");
/** More than processors, because a file waits for two fifths of its time. */
const JOBS = 2 * availableParallelism();
const NODE_FLAGS = ["--disable-warning=ExperimentalWarning", "--min-semi-space-size=32"]; // as .mocharc.json has it
const TICKS_PER_SECOND = 100; // USER_HZ, which Linux fixes for what it shows in /proc

const [flags, named] = ["--", ""].map((start) =>
  process.argv.slice(2).filter((argument) => argument.startsWith("--") === (start === "--")),
);
const names = named.map((name) => join("tests", name.replace(/^tests\//, "")));
const isFull = (file) => file.endsWith(".full.test.ts");
const isIn = (file, name) => file === name || file.startsWith(`${name}/`);
const all = globSync("tests/**/*.test.ts", { cwd: ROOT, exclude: (path) => path.endsWith("node_modules") });
const missing = names.filter((name) => !all.some((file) => isIn(file, name)));
if (missing.length > 0) {
  console.error(`There is no test in ${missing.join(", ")}; folders and files are named as below tests/`);
  process.exit(2);
}
const seconds = JSON.parse(readFileSync(SECONDS, "utf8"));
const chosen = all
  .filter((file) =>
    names.length > 0
      ? names.some((name) => isIn(file, name))
      : flags.includes("--all") || flags.includes("--rest") === isFull(file),
  )
  .sort((a, b) => (seconds[b] ?? 10) - (seconds[a] ?? 10));

let running;

/** Runs files to their end, and resolves with what became of each. */
async function run(files, env, parallel) {
  const folder = mkdtempSync(join(tmpdir(), "tunnelplane-tests-"));
  const result = join(folder, "result.json");
  const args = [...NODE_FLAGS, join(ROOT, "node_modules/mocha/lib/cli/cli.js"), "--exit", ...files];
  if (parallel) args.push("--parallel", "--jobs", String(JOBS));
  // In a session of its own, by which everything that it starts is found.
  running = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env, TESTS_RESULT: result },
    stdio: "inherit",
    detached: true,
  });
  await new Promise((resolve) => running.once("close", resolve));
  endSession(running.pid);
  const found = existsSync(result) ? JSON.parse(readFileSync(result, "utf8")) : {}; // it was killed
  rmSync(folder, { recursive: true });
  const unheard = { passed: 0, failed: 1, skipped: 0, failure: "  It ended before it reported anything.\n" };
  return new Map(files.map((file) => [file, found[file] ?? unheard]));
}

/** Ends what the tests left behind: engines, servers and Envoys of one that failed. */
function endSession(session) {
  const rows = execFileSync("ps", ["-eo", "pid=,sess=,stat="], { encoding: "utf8" }).trim().split("\n");
  for (const [pid, owner, state] of rows.map((row) => row.trim().split(/\s+/)))
    if (Number(owner) === session && !state.startsWith("Z")) spawnSync("kill", ["-9", pid]); // fails where it has just ended
}

/** Minutes of processor time of everything that this process started and that has ended. */
function processorMinutes() {
  const fields = readFileSync("/proc/self/stat", "latin1")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND / 60;
}

async function main() {
  const { PostgresServer } = require("../../tests/support/postgres.ts");
  const postgres = chosen.length > 1 ? await PostgresServer.start() : undefined;
  for (const signal of ["SIGINT", "SIGTERM"])
    process.once(signal, async () => {
      if (running) endSession(running.pid);
      await postgres?.stop();
      process.exit(1);
    });
  const env = postgres && { TESTS_POSTGRES: postgres.url };
  console.log(`Running ${chosen.length} files of tests; a line for each as it ends.`);
  const outcomes = await run(chosen, env, chosen.length > 1);
  const failed = [...outcomes].filter(([, outcome]) => outcome.failed > 0);
  const secondTry = [];
  for (const [file, { failure }] of chosen.length > 1 ? failed : []) {
    console.log(`\n${file} failed and is run again, alone.`);
    const [[, again]] = await run([file], env, false);
    if (again.failed > 0) continue;
    outcomes.set(file, again);
    secondTry.push(`${file}\n${failure}`);
  }
  await postgres?.stop();
  const count = (field) => [...outcomes.values()].reduce((sum, outcome) => sum + outcome[field], 0);
  for (const [file, { failure }] of outcomes)
    if (failure) console.log(`\n──── failed in ${file}:\n${failure}`);
  if (secondTry.length > 0) console.log(`\nPassed only at the second try:\n${secondTry.join("\n")}`);
  if (flags.includes("--seconds")) {
    for (const [file, outcome] of outcomes) seconds[file] = Math.round(outcome.seconds);
    const kept = Object.entries(seconds).filter(([file]) => all.includes(file));
    writeFileSync(
      SECONDS,
      `${JSON.stringify(Object.fromEntries(kept.sort(([, a], [, b]) => b - a)), null, 2)}\n`,
    );
  }
  console.log(`\n${processorMinutes().toFixed(1)} minutes of processor time.`);
  const skipped = count("skipped");
  console.log(
    `Total: ${count("passed")} passed, ${count("failed")} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`,
  );
  const left = all.filter(isFull).filter((file) => !outcomes.has(file));
  if (names.length === 0 && left.length > 0) {
    const folders = Map.groupBy(left, (file) => file.split("/")[1]);
    const parts = [...folders].map(([folder, files]) => `${folder} ${files.length}`).join(", ");
    console.log(
      `Left out: ${left.length} of ${all.length} files (${parts}). They are called *.full.test.ts:`,
    );
    console.log("  npm run test:all    runs every file; npm run test:soak the long forms, some hours");
  }
  // PostgreSQL's package ends a process that comes to its end by itself with 0, whatever exitCode says.
  process.exit(count("failed") > 0 ? 1 : 0);
}

main();

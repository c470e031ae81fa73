// Runs one test file again at each change of a source or a test: `npm run test:watch --
// tests/unit/contract/names.test.ts`. Builds first, because tests load what was built; an incremental build
// takes about a second.
const { spawn } = require("node:child_process");
const { existsSync, watch } = require("node:fs");
const { join } = require("node:path");

const ROOT = join(__dirname, "..");
/** Editors write a file in several steps. */
const SETTLE_MS = 100;
const SOURCES = ["sdk/src", "server/src", "provider/src", "plugin/src", "gateway/src", "policies/src"];
const TESTS = "tests";

const [file, ...more] = process.argv.slice(2);
if (!file || !existsSync(join(ROOT, file))) {
  console.error(
    `Name a test file, for example: npm run test:watch -- tests/unit/contract/names.test.ts${file ? ` (${file} does not exist)` : ""}`,
  );
  process.exit(2);
}

let running;
let timer;
let isBuilt = true;

/** Runs a program to its end; undefined if a change ended it before. */
const run = (script, ...args) =>
  new Promise((resolve) => {
    running = spawn(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", join(ROOT, script), ...args],
      {
        cwd: ROOT,
        stdio: "inherit",
      },
    );
    running.once("close", (code, signal) => resolve(signal ? undefined : code));
  });

async function again() {
  if (running && running.exitCode === null && running.signalCode === null) {
    running.once("close", again);
    return void running.kill();
  }
  const begun = Date.now();
  if (!isBuilt) {
    isBuilt = true;
    const code = await run("node_modules/typescript-native/bin/tsc", "--build");
    if (code === undefined) isBuilt = false;
    if (code !== 0) return;
  }
  const code = await run("node_modules/mocha/lib/cli/cli.js", "--exit", file, ...more);
  if (code === undefined) return;
  console.log(
    `${code === 0 ? "✓" : "✗"} ${file} after ${((Date.now() - begun) / 1000).toFixed(1)} s; waiting for changes`,
  );
}

function onChange(isSource) {
  if (isSource) isBuilt = false;
  clearTimeout(timer);
  timer = setTimeout(again, SETTLE_MS);
}

for (const folder of SOURCES) watch(join(ROOT, folder), { recursive: true }, () => onChange(true));
watch(join(ROOT, TESTS), { recursive: true }, (_, name) => name?.endsWith(".ts") && onChange(false));
isBuilt = false;
again();

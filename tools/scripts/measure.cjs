// Installs the package `tunnelplane` from its tarball in an empty folder, starts its server, and says what that takes.
const { execFileSync, spawn } = require("node:child_process");
const { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { setTimeout: sleep } = require("node:timers/promises");

const [MAX_MB, MAX_SECONDS, START_SECONDS, IDLE_SECONDS] = [45, 20, 60, 5];

/** Sizes in MB, times in seconds. @throws Error if it is larger or slower than promised */
async function measured(tarball) {
  const folder = mkdtempSync(join(tmpdir(), "tunnelplane-measure-"));
  try {
    const begun = Date.now();
    const install = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", tarball];
    execFileSync("npm", install, { cwd: folder, stdio: "inherit" });
    const seconds = (Date.now() - begun) / 1000;
    const installed = sizeOf(join(folder, "node_modules"));
    if (installed > MAX_MB || seconds > MAX_SECONDS)
      throw new Error(
        `${installed} MB in ${seconds} s: at most ${MAX_MB} MB in ${MAX_SECONDS} s are promised`,
      );
    return {
      tarball: round(statSync(tarball).size / 1e6),
      installed,
      seconds: round(seconds),
      ...(await idle(folder)),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The time until the first answer, and the memory of a server that nobody asks. */
async function idle(folder) {
  const begun = Date.now();
  const args = [
    join(folder, "node_modules/tunnelplane/bin/tunnelplane.cjs"),
    "serve",
    "--listen",
    "127.0.0.1:0",
  ];
  const server = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const url = await listens(server);
    await fetch(`${url}/readyz`);
    const ready = (Date.now() - begun) / 1000;
    await sleep(IDLE_SECONDS * 1000);
    const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"));
    return { ready: round(ready), memory: round(Number(kilobytes) / 1000) };
  } finally {
    server.kill();
  }
}

function listens(server) {
  return new Promise((resolve, reject) => {
    let printed = "";
    server.stdout.setEncoding("utf8").on("data", (text) => {
      printed += text;
      const [, url] = /listens on (http:\S+),/.exec(printed) ?? [];
      if (url) resolve(url);
    });
    server.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    setTimeout(() => reject(new Error("the server does not start")), START_SECONDS * 1000).unref();
  });
}

const round = (value) => Math.round(value * 10) / 10;
const sizeOf = (folder) =>
  round(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0) / 1e6,
  );

module.exports = { measured };

if (require.main === module) measured(process.argv[2]).then((all) => console.log(all));

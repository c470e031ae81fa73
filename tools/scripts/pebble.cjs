// Pebble, Let's Encrypt's own authority for tests (RFC 8555), built from its Go module as the engine is.
const { execFileSync } = require("node:child_process");
const { existsSync, mkdirSync } = require("node:fs");
const { join } = require("node:path");

const VERSION = "v2.10.3";
const FOLDER = join(__dirname, "../..", "node_modules", ".tunnelplane", `pebble-${VERSION}`);
const NAMES = ["pebble", "pebble-challtestsrv"];
const PEBBLE_PROGRAMS = NAMES.map((name) => join(FOLDER, name));

/** The folder of its programs; undefined where it is not there. */
const locatePebble = () => (PEBBLE_PROGRAMS.every(existsSync) ? FOLDER : undefined);

/** @throws where Go is missing, or its module proxy does not answer */
function providePebble() {
  mkdirSync(FOLDER, { recursive: true });
  const modules = NAMES.map((name) => `github.com/letsencrypt/pebble/v2/cmd/${name}@${VERSION}`);
  execFileSync("go", ["install", ...modules], {
    env: { ...process.env, GOBIN: FOLDER, CGO_ENABLED: "0" },
    stdio: ["ignore", "ignore", "pipe"],
  });
}

module.exports = { locatePebble, PEBBLE_PROGRAMS, providePebble };

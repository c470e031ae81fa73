// For which machines programs are made: this one, and others by the Node that npm has for them.
const { execFileSync } = require("node:child_process");
const { existsSync, mkdirSync } = require("node:fs");
const { join } = require("node:path");

/** Debian's and Go's names of Node's architectures. */
const ARCHITECTURES = { x64: "amd64", arm64: "arm64" };

const HERE = { arch: process.arch, node: process.execPath };

/**
 * Fetches the Node of another architecture, of the version that runs this, unless the folder has it.
 * @param arch in Node's words
 * @returns what is needed to make programs for it
 */
function fetchPlatform(arch, folder) {
  const name = `node-${process.platform}-${arch}`;
  const place = join(folder, `${name}-${process.versions.node}`);
  const node = join(place, "package/bin/node");
  if (existsSync(node)) return { arch, node };
  mkdirSync(place, { recursive: true });
  const pack = ["pack", "--silent", "--pack-destination", place, `${name}@${process.versions.node}`];
  const file = execFileSync("npm", pack, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
  execFileSync("tar", ["-xzf", join(place, file), "-C", place, "package/bin/node"]);
  return { arch, node };
}

module.exports = { ARCHITECTURES, fetchPlatform, HERE };

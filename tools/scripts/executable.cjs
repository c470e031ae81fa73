// Puts a program into a copy of a Node, so that it needs no other: Node's single executable
// applications.
const { execFileSync } = require("node:child_process");
const { createHash } = require("node:crypto");
const { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } =
  require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { gzipSync } = require("node:zlib");
const { ROOT } = require("./packages.cjs");
const { HERE } = require("./platforms.cjs");

/** What Node looks for in its own executable: https://nodejs.org/api/single-executable-applications.html */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/**
 * @param main the file of all code
 * @param executable the file to make
 * @param assets files that the code reads, by their names
 * @param platform whose Node it gets; code is compiled ahead only for the one that this runs on
 */
async function makeExecutable(main, executable, assets = {}, platform = HERE) {
  const work = mkdtempSync(join(tmpdir(), "tunnelplane-executable-"));
  try {
    const [config, blob] = [join(work, "sea.json"), join(work, "sea.blob")];
    const useCodeCache = platform === HERE;
    const sea = { main, output: blob, disableExperimentalSEAWarning: true, useCodeCache, assets };
    writeFileSync(config, JSON.stringify(sea));
    execFileSync(process.execPath, ["--experimental-sea-config", config], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    copyFileSync(platform.node, executable);
    chmodSync(executable, 0o755);
    const { inject } = require("postject");
    await inject(executable, "NODE_SEA_BLOB", readFileSync(blob), { sentinelFuse: FUSE });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const FOLDERS = readFileSync(join(ROOT, "sdk/dist/folders.js"), "utf8");

/** Unpacks the package once into the user's cache, because worker threads begin with files, and runs it there. */
const unpacking = (digest) => `
const { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { dirname, join } = require("node:path");
const { gunzipSync } = require("node:zlib");
const { inHome, makeFolder } = ((exports) => {${FOLDERS}
return exports; })({});
const cure = "name another, for example: export XDG_CACHE_HOME=/tmp/cache";
const caches = process.env.XDG_CACHE_HOME || inHome(".cache");
if (!caches) {
  console.error("tunnelplane: this user has no home to unpack into: " + cure);
  process.exit(1);
}
const cache = join(caches, "tunnelplane");
const place = join(cache, "${digest}");
try {
  if (!existsSync(place)) {
    makeFolder(cache, cure);
    const files = JSON.parse(gunzipSync(Buffer.from(require("node:sea").getRawAsset("package"))));
    const made = mkdtempSync(join(cache, "new-"));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(made, path)), { recursive: true });
      writeFileSync(join(made, path), text, "base64");
    }
    try { renameSync(made, place); } catch (error) { rmSync(made, { recursive: true }); if (!existsSync(place)) throw error; }
  }
} catch (error) {
  const { code, message } = error;
  console.error("tunnelplane: " + (code ? "the folder " + cache + " cannot be written (" + code + "): " + cure : message));
  process.exit(1);
}
createRequire(join(place, "bin/"))("./tunnelplane.cjs");
`;

/** The package \`tunnelplane\` as one executable. @returns the file */
async function makeCommand(tarball, out, version, platform = HERE) {
  const work = mkdtempSync(join(tmpdir(), "tunnelplane-command-"));
  try {
    mkdirSync(join(work, "package"));
    execFileSync("tar", ["xzf", tarball, "-C", work]);
    const files = readdirSync(join(work, "package"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()
      .map((file) => [file.slice(work.length + "/package/".length), readFileSync(file).toString("base64")]);
    const packed = gzipSync(JSON.stringify(Object.fromEntries(files)));
    writeFileSync(join(work, "files"), packed);
    writeFileSync(
      join(work, "main.cjs"),
      unpacking(createHash("sha256").update(packed).digest("hex").slice(0, 16)),
    );
    mkdirSync(out, { recursive: true });
    const executable = join(out, `tunnelplane-v${version}-${process.platform}-${platform.arch}`);
    await makeExecutable(join(work, "main.cjs"), executable, { package: join(work, "files") }, platform);
    return executable;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

module.exports = { makeCommand, makeExecutable };

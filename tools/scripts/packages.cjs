// The packages that are published: every workspace that is not private. Plain JavaScript, for scripts, tests
// and releases alike.
const { execFileSync } = require("node:child_process");
const { existsSync, mkdirSync, readdirSync, readFileSync, statSync } = require("node:fs");
const { join } = require("node:path");

const ROOT = join(__dirname, "../..");
const manifestOf = (folder) => JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8"));

/** Folder and package.json of each published package, in the order of the workspaces. */
function publishedPackages() {
  return manifestOf(".")
    .workspaces.flatMap((pattern) =>
      pattern.endsWith("/*")
        ? readdirSync(join(ROOT, pattern.slice(0, -2))).map((name) => pattern.replace("*", name))
        : [pattern],
    )
    .filter((folder) => existsSync(join(ROOT, folder, "package.json")))
    .map((folder) => ({ folder, manifest: manifestOf(folder) }))
    .filter(({ manifest }) => !manifest.private);
}

/**
 * Packs the packages into a folder, as npm would upload them. Returns the file of each tarball by the
 * package's name.
 */
function pack(destination, packages = publishedPackages()) {
  for (const { folder, manifest } of packages) {
    const built = manifest.main && join(ROOT, folder, manifest.main);
    if (built && !statSync(built, { throwIfNoEntry: false }))
      throw new Error(`${folder} is not built: run npm run build`);
  }
  mkdirSync(destination, { recursive: true });
  const args = [
    "pack",
    "--json",
    "--foreground-scripts=false",
    "--pack-destination",
    destination,
    ...packages.map(({ folder }) => `--workspace=${folder}`),
  ];
  const env = { ...process.env, npm_config_loglevel: "error" };
  const printed = execFileSync("npm", args, {
    cwd: ROOT,
    encoding: "utf8",
    env,
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 2 ** 26,
  });
  // Scripts may print before the answer. npm 11 answers a list, later ones an object by name.
  const answer = JSON.parse(printed.slice(printed.search(/^[[{]$/m)));
  return new Map(Object.values(answer).map(({ name, filename }) => [name, join(destination, filename)]));
}

module.exports = { ROOT, pack, publishedPackages };

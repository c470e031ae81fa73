// The release checklist, up to the point of publishing: `npm run release:check`. `--without-tests` leaves out
// `npm run test:all`. Leaves the tarballs, the native provider's archive, the SBOM, the licence list, checksums and
// signatures in release/, and prints the commands that publish them.
const { execFileSync } = require("node:child_process");
const {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} = require("node:fs");
const { tmpdir } = require("node:os");
const { basename, join } = require("node:path");
const { licencesIn, listOf, sbomOf, unacceptedIn } = require("./licences.cjs");
const { makeDebianPackage } = require("./debian.cjs");
const { makeCommand } = require("./executable.cjs");
const { makeImage } = require("./image.cjs");
const { measured } = require("./measure.cjs");
const { pack, publishedPackages, ROOT } = require("./packages.cjs");
const { fetchPlatform, HERE } = require("./platforms.cjs");
const { checksums, faultsIn, makeKey, publish, sign } = require("./signatures.cjs");

const RELEASE = join(ROOT, "release");
const PLUGIN = join(RELEASE, "plugin");
const withoutTests = process.argv.includes("--without-tests");
const packages = publishedPackages();
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const output = (command, args, options = {}) =>
  execFileSync(command, args, { cwd: ROOT, encoding: "utf8", maxBuffer: 2 ** 27, ...options });
const show = (command, args, options = {}) =>
  execFileSync(command, args, { cwd: ROOT, stdio: "inherit", ...options });
let tarballs = new Map();
let ofPlatform = [];

const STEPS = [
  [
    "Nothing is uncommitted",
    () => refuse(output("git", ["status", "--porcelain"]).split("\n").filter(Boolean), "commit these first"),
  ],
  [
    `All packages have version ${version}, and depend on each other at that version`,
    () =>
      refuse(
        packages.flatMap(({ folder, manifest }) => [
          ...(manifest.version === version ? [] : [`${folder} has ${manifest.version}`]),
          ...Object.entries(manifest.dependencies ?? {})
            .filter(
              ([name, wanted]) =>
                packages.some(({ manifest: { name: ours } }) => ours === name) && wanted !== version,
            )
            .map(([name, wanted]) => `${folder} wants ${name} ${wanted}`),
        ]),
        "set these versions in the package.json files",
      ),
  ],
  ["The changelog has a section for it, and nothing waits above", checkChangelog],
  ["Format, types, import rules, dead code", () => show("npm", ["run", "--silent", "check"])],
  ["Everything generated is up to date", checkGenerated],
  withoutTests
    ? ["The tests: LEFT OUT (--without-tests)", () => {}]
    : ["The tests", () => show("npm", ["run", "--silent", "test:all"])],
  [
    "Each package packs",
    () => {
      rmSync(RELEASE, { recursive: true, force: true });
      tarballs = pack(RELEASE);
    },
  ],
  ["publint and attw find nothing in the tarballs", checkTarballs],
  ["The tarballs install; SBOM and licence list are written", checkDependencies],
  ["The package tunnelplane installs alone, small and fast", measureInstall],
  ["A Debian package, an executable and a container image are made", makeForPlatforms],
  ["The native provider's archive is made for this platform", makeArchive],
  ["Everything has a checksum and a signature, and they are right", signAll],
  [
    "npm would publish them (dry run)",
    () => {
      // Provenance is signed where the release is made, by the pipeline's identity; a dry run has none.
      for (const file of tarballs.values())
        output("npm", ["publish", file, "--dry-run", "--provenance=false", "--access=public"], {
          stdio: ["ignore", "pipe", "inherit"],
        });
    },
  ],
];

function checkChangelog() {
  const sections = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8").split(/^## /m).slice(1);
  const waiting = sections.find((section) => section.startsWith("[Unreleased]"))?.match(/^- .*/gm) ?? [];
  refuse(waiting, `move these from "Unreleased" to ${version}`);
  const section = sections.find((one) => one.startsWith(`[${version}] - `));
  if (!section || !/^- /m.test(section))
    throw new Error(`CHANGELOG.md lacks "## [${version}] - YYYY-MM-DD" with its changes`);
}

function checkGenerated() {
  show(process.execPath, ["-r", "ts-node/register", "tools/generate/main.ts"]);
  refuse(
    output("git", ["status", "--porcelain"]).split("\n").filter(Boolean),
    "run npm run generate and commit these",
  );
}

function checkTarballs() {
  for (const file of tarballs.values())
    for (const tool of ["publint", "attw"]) show(join(ROOT, "node_modules/.bin", tool), [file]);
}

function checkDependencies() {
  const folder = mkdtempSync(join(tmpdir(), "tunnelplane-release-"));
  try {
    writeFileSync(
      join(folder, "package.json"),
      JSON.stringify({ name: "tunnelplane-packages", version, private: true }),
    );
    show(
      "npm",
      ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", ...tarballs.values()],
      { cwd: folder },
    );
    const sbom = sbomOf(folder);
    const licences = licencesIn(sbom);
    mkdirSync(RELEASE, { recursive: true });
    writeFileSync(join(RELEASE, "sbom.cdx.json"), `${JSON.stringify(sbom, null, 2)}\n`);
    writeFileSync(join(RELEASE, "licences.md"), listOf(licences));
    refuse(
      unacceptedIn(licences).map(({ name, version: at, licence }) => `${name} ${at}: ${licence}`),
      "nobody has accepted these licences; see tools/scripts/licences.cjs",
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What stands in docs/install.md. */
async function measureInstall() {
  const { tarball, installed, seconds, ready, memory } = await measured(tarballs.get("tunnelplane"));
  console.log(
    `tarball ${tarball} MB, installed ${installed} MB in ${seconds} s, serves after ${ready} s with ${memory} MB of memory`,
  );
}

/** For the other architecture too, without the image: apt has the packages of this one. */
async function makeForPlatforms() {
  const tarball = tarballs.get("tunnelplane");
  const folder = mkdtempSync(join(tmpdir(), "tunnelplane-node-"));
  try {
    const other = fetchPlatform(HERE.arch === "arm64" ? "x64" : "arm64", folder);
    const made = [];
    for (const platform of [HERE, other])
      made.push(
        makeDebianPackage(tarball, RELEASE, version, platform),
        await makeCommand(tarball, RELEASE, version, platform),
      );
    made.push(makeImage(made[0], RELEASE, version));
    ofPlatform = made.map((file) => basename(file));
    for (const file of made) console.log(`${basename(file)}: ${Math.round(statSync(file).size / 1e6)} MB`);
    console.log(`Those for ${other.arch} were made and never run.`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeArchive() {
  show(process.execPath, ["tools/scripts/releasePlugin.cjs", "--out", PLUGIN]);
}

/** Signs with a key that this check makes and removes, or with that of a file. */
function signAll() {
  const folder = mkdtempSync(join(tmpdir(), "tunnelplane-key-"));
  try {
    const key = process.env.TUNNELPLANE_RELEASE_KEY_FILE ?? makeKey(join(folder, "key.pem"));
    const files = readdirSync(PLUGIN).filter((name) => name.endsWith(".tar.gz"));
    for (const name of files) {
      copyFileSync(join(PLUGIN, name), join(RELEASE, name));
      sign(join(RELEASE, name), key);
    }
    publish(key, RELEASE);
    const signed = [
      ...[...tarballs.values()].map((file) => basename(file)),
      ...files,
      ...ofPlatform,
      "sbom.cdx.json",
      "licences.md",
    ];
    const list = checksums(
      signed.map((name) => join(RELEASE, name)),
      join(RELEASE, "checksums.txt"),
    );
    sign(list, key);
    refuse(faultsIn(list), "the release does not hold what was signed");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function refuse(list, cure) {
  if (list.length > 0) throw new Error(`${cure}:\n${list.slice(0, 20).join("\n")}`);
}

function summary() {
  const files = ["sbom.cdx.json", "licences.md", "checksums.txt", "checksums.txt.sig", "cosign.pub"].filter(
    (name) => existsSync(join(RELEASE, name)),
  );
  const key = process.env.TUNNELPLANE_RELEASE_KEY_FILE;
  return `
✓ ${version} can be published. In release/: ${tarballs.size} tarballs, the native provider's archive, ${files.join(", ")}.
They are signed with ${key ?? "a key of this check alone; name yours in TUNNELPLANE_RELEASE_KEY_FILE"}.
Still to do, in the pipeline that may publish (npm signs the provenance there):

  git tag v${version} && git push origin v${version}
${[...tarballs.values()].map((file) => `  npm publish ${file} --provenance --access public`).join("\n")}`;
}

async function main() {
  for (const [title, run] of STEPS) {
    console.log(`\n── ${title}`);
    try {
      await run();
    } catch (error) {
      console.error(`\n✗ ${title}: ${error.message}`);
      process.exit(1);
    }
  }
  console.log(summary());
}

main();

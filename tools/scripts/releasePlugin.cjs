// Makes the release folder of the native provider, for the platform that this runs on: an archive with one
// executable that needs no Node, checksums, the schema, and pulumiPlugin.json. Upload its files to the
// release of this version on GitHub, or serve the folder as it is, under the URL of --url.
const { execFileSync } = require("node:child_process");
const { createHash } = require("node:crypto");
const {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} = require("node:fs");
const { tmpdir } = require("node:os");
const { join, resolve } = require("node:path");
const { parseArgs } = require("node:util");
const { makeExecutable } = require("./executable.cjs");

const ROOT = join(__dirname, "../..");
const NAME = "pulumi-resource-tunnelplane";
/** How Pulumi calls what Node calls x64 and win32. */
const ARCHITECTURES = { x64: "amd64", arm64: "arm64" };
const SYSTEMS = { linux: "linux", darwin: "darwin", win32: "windows" };

async function main() {
  const { values } = parseArgs({
    options: { out: { type: "string", default: join(ROOT, "release", "plugin") }, url: { type: "string" } },
  });
  const out = resolve(values.out);
  const schema = JSON.parse(readFileSync(join(ROOT, "plugin/schema.json"), "utf8"));
  const { version } = schema;
  const url = values.url ?? schema.pluginDownloadURL;
  const [system, architecture] = [SYSTEMS[process.platform], ARCHITECTURES[process.arch]];
  if (!system || !architecture)
    throw new Error(`Pulumi has no plugins for ${process.platform} on ${process.arch}`);
  const work = mkdtempSync(join(tmpdir(), "tunnelplane-release-"));
  try {
    const executable = join(work, process.platform === "win32" ? `${NAME}.exe` : NAME);
    await makePlugin(work, executable, { ...schema, pluginDownloadURL: url });
    copyFileSync(join(ROOT, "LICENSE"), join(work, "LICENSE"));
    mkdirSync(out, { recursive: true });
    const archive = `${NAME}-v${version}-${system}-${architecture}.tar.gz`;
    execFileSync("tar", [
      "-czf",
      join(out, archive),
      "-C",
      work,
      executable.slice(work.length + 1),
      "LICENSE",
    ]);
    writeFileSync(
      join(out, "schema.json"),
      `${JSON.stringify({ ...schema, pluginDownloadURL: url }, null, 2)}\n`,
    );
    writeFileSync(
      join(out, "pulumiPlugin.json"),
      `${JSON.stringify({ resource: true, name: "tunnelplane", version, server: url }, null, 2)}\n`,
    );
    const digest = createHash("sha256")
      .update(readFileSync(join(out, archive)))
      .digest("hex");
    const sums = join(out, `${NAME}-v${version}-checksums.txt`);
    // Those of other platforms may be there already.
    const others = (existsSync(sums) ? readFileSync(sums, "utf8").split("\n") : []).filter(
      (line) => line && !line.endsWith(archive),
    );
    writeFileSync(sums, `${[...others, `${digest}  ${archive}`].sort().join("\n")}\n`);
    console.log(`${join(out, archive)}\nsha256 ${digest}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** One file of all code, put into a copy of the Node that runs this. */
async function makePlugin(work, executable, schema) {
  // The schema that the plugin tells is the released one, with the URL of this release.
  cpSync(join(ROOT, "plugin/dist"), join(work, "plugin/dist"), { recursive: true });
  copyFileSync(join(ROOT, "plugin/package.json"), join(work, "plugin/package.json"));
  writeFileSync(join(work, "plugin/schema.json"), JSON.stringify(schema));
  const bundle = join(work, "bundle.cjs");
  await require("esbuild").build({
    entryPoints: [join(work, "plugin/dist/main.js")],
    outfile: bundle,
    bundle: true,
    minify: true,
    keepNames: true,
    platform: "node",
    target: "node24",
    nodePaths: [join(ROOT, "node_modules")],
    logLevel: "error",
  });
  await makeExecutable(bundle, executable);
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});

// Generates the packages of the native provider for Python, Go and TypeScript, by Pulumi's own generators: into a folder that is
// not committed (release/sdks, or the first argument). Needs Go and its module proxy.
const { execFileSync, spawnSync } = require("node:child_process");
const { mkdirSync, readFileSync, rmSync, writeFileSync } = require("node:fs");
const { join, resolve } = require("node:path");

const ROOT = join(__dirname, "..");
const ENGINE = join(__dirname, "engine");
const LANGUAGES = ["python", "go", "nodejs"];

function main() {
  if (spawnSync("go", ["version"]).error) throw new Error("The generators are built with Go, which is not on the PATH");
  const out = resolve(process.argv[2] ?? join(ROOT, "release", "sdks"));
  const schema = join(ROOT, "plugin", "schema.json");
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const go = (...args) => execFileSync("go", args, { cwd: ENGINE, env: { ...process.env, CGO_ENABLED: "0" }, stdio: ["ignore", 1, 2] });
  go("run", "-mod=readonly", "./sdks", schema, out, ...LANGUAGES);
  const { importBasePath } = JSON.parse(readFileSync(schema, "utf8")).language.go;
  const [, sdk] = /github\.com\/pulumi\/pulumi\/sdk\/v3 (v\S+)/.exec(readFileSync(join(ENGINE, "go.mod"), "utf8")) ?? [];
  writeFileSync(join(out, "go", "go.mod"), `module ${importBasePath}\n\ngo 1.25.11\n\nrequire github.com/pulumi/pulumi/sdk/v3 ${sdk}\n`);
  console.log(`The packages are in ${out}`);
}

try {
  main();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

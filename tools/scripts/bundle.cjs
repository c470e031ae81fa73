// Runs in the folder of the package `tunnelplane` before npm packs it: puts everything beside its bin that it
// needs, so that npm installs one package and no other.
const { execFileSync } = require("node:child_process");
const { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } =
  require("node:fs");
const { tmpdir } = require("node:os");
const { basename, join } = require("node:path");
const { buildSync } = require("esbuild");
const { pack, publishedPackages, ROOT } = require("./packages.cjs");

const PACKAGE = join(ROOT, "tunnelplane");
const BUNDLE = join(PACKAGE, "bundle");
/** What starts the command, and the files that worker threads begin with. Their names are those that the code asks for. */
const ENTRIES = {
  main: "tunnelplane/dist/main.js",
  describer: "server/dist/http/openapi/describer.js",
  sender: "server/dist/events/targets/sender.js",
  decisionWorker: "server/dist/compute/decisionWorker.js",
  judgingWorker: "server/dist/compute/judgingWorker.js",
  validationWorker: "server/dist/compute/validationWorker.js",
  thread: "gateway/dist/webhooks/thread.js",
};
/** Natively compiled parts that their packages do without; nothing of Pulumi is needed by any command. */
const LEFT_OUT = ["@pulumi/pulumi", "pg-native", "*.node", "cpu-features"];

/** Begins before that file is compiled, so it is one of its own. */
const COMPILED = "sdk/dist/compiled.js";

/** One file with all code, which each entry begins elsewhere: most of it is shared, and stands in it once. */
function writeCode() {
  const folder = join(BUNDLE, "js");
  const cases = Object.entries(ENTRIES).map(([name, file]) => `${name}: () => require("./${file}"),`);
  const { metafile } = buildSync({
    stdin: { contents: `module.exports = {${cases.join("")}};`, resolveDir: ROOT, sourcefile: "all.js" },
    outfile: join(folder, "all.js"),
    absWorkingDir: ROOT,
    bundle: true,
    platform: "node",
    target: "node22.19",
    format: "cjs",
    external: LEFT_OUT,
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    metafile: true,
    // Of files that worker threads begin with, which stand beside it.
    logOverride: { "require-resolve-not-external": "silent" },
  });
  // One other character makes Node keep two bytes for each of the file. esbuild leaves those in patterns.
  const all = join(folder, "all.js");
  const escaped = (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  writeFileSync(all, readFileSync(all, "utf8").replace(/[^\0-\x7f]/g, escaped));
  buildSync({
    entryPoints: [COMPILED],
    outfile: join(folder, "compiled.js"),
    absWorkingDir: ROOT,
    bundle: true,
    platform: "node",
    target: "node22.19",
    format: "cjs",
  });
  for (const name of Object.keys(ENTRIES))
    writeFileSync(join(folder, `${name}.js`), `require("./all.js").${name}();\n`);
  writeFileSync(join(BUNDLE, "licences.md"), licencesOf(Object.keys(metafile.inputs)));
}

/** The text of the licence of each package that is inside. */
function licencesOf(inputs) {
  const folders = inputs.flatMap((input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []);
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8"));
    const file = readdirSync(join(ROOT, folder)).find((one) => /^licen[cs]e/i.test(one));
    const text = file ? readFileSync(join(ROOT, folder, file), "utf8").trim() : String(license);
    return `## ${name} ${version}\n\n${text}\n`;
  });
  return `# Licences of what is bundled\n\n${texts.join("\n")}`;
}

/** What `new` and `adopt` write projects from: the tool, its template and examples, and the packages of a project. */
function writeProjects() {
  const scratch = mkdtempSync(join(tmpdir(), "tunnelplane-bundle-"));
  try {
    const wanted = publishedPackages().filter(({ folder }) =>
      ["create-tunnelplane", "sdk", "provider"].includes(folder),
    );
    const { "create-tunnelplane": create, ...others } = Object.fromEntries(pack(scratch, wanted));
    for (const folder of ["create", "packages"]) mkdirSync(join(PACKAGE, folder));
    execFileSync("tar", ["xzf", create, "-C", join(PACKAGE, "create"), "--strip-components=1"]);
    for (const file of Object.values(others)) cpSync(file, join(PACKAGE, "packages", basename(file)));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

if (!existsSync(join(PACKAGE, "dist/main.js")))
  throw new Error("tunnelplane is not built: run npm run build");
for (const folder of ["bundle", "static", "create", "packages"])
  rmSync(join(PACKAGE, folder), { recursive: true, force: true });
require("./prepack.cjs");
writeCode();
cpSync(join(ROOT, "server/static"), join(PACKAGE, "static"), { recursive: true });
writeProjects();

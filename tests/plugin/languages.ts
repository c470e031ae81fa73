import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { PLUGIN_BIN } from "../support/engine";
import { ROOT } from "./cli";

const PROGRAMS = join(__dirname, "programs");
const ENGINE = join(ROOT, "tools/scripts/engine");
export const PYTHON = join(ROOT, "node_modules/.tunnelplane/pulumi-python/bin/python");

interface Language {
  readonly name: string;
  /** The first tool missing here that its programs need; undefined if all are here. */
  missing(): string | undefined;
  /** Builds this language's program with the folder of all generated packages; returns its command. */
  build(packages: string, folder: string): string[];
}

/** Those whose programs can be run with what package registries have. */
export const languages: readonly Language[] = [
  {
    name: "Python",
    missing: () => (existsSync(PYTHON) ? undefined : "Python; see tools/scripts/setup.cjs"),
    build: (packages) => {
      const [run, program] = ["run.py", "program.py"].map((file) => join(PROGRAMS, "python", file)) as [
        string,
        string,
      ];
      return [
        ...["env", `PYTHONPATH=${join(packages, "python")}`, "PYTHONDONTWRITEBYTECODE=1", PYTHON, run],
        program,
      ];
    },
  },
  {
    name: "Go",
    missing: () => (isHere("go") ? undefined : "Go"),
    build: (packages, folder) => {
      goModule(packages, folder);
      copyFileSync(join(PROGRAMS, "go/main.go"), join(folder, "main.go"));
      const program = join(folder, "tunnels");
      compileGo(folder, "-ldflags", "-s -w", "-o", program, ".");
      return [program];
    },
  },
  {
    name: "Java",
    missing: () => (isHere("mvn") && isHere("javac") ? undefined : "Java with Maven"),
    build: (packages, folder) => [
      "java",
      "-cp",
      compileJava(packages, folder, join(PROGRAMS, "java/App.java")),
      "App",
    ],
  },
];

/** Makes a folder a Go module with the generated package, at the versions that the engine has compiled. */
export function goModule(packages: string, folder: string): void {
  const [, path] = /^module (.*)$/m.exec(readFileSync(join(packages, "go/go.mod"), "utf8")) ?? [];
  const ofEngine = readFileSync(join(ENGINE, "go.mod"), "utf8").replace(/^module .*$/m, "");
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(ENGINE, "go.sum"), join(folder, "go.sum"));
  writeFileSync(
    join(folder, "go.mod"),
    `module example.com/tunnels\n${ofEngine}\nrequire ${path} v0.0.0\nreplace ${path} => ${join(packages, "go")}\n`,
  );
}

/** Without paths in it, what is compiled is kept for the next time, wherever it is. */
export const compileGo = (cwd: string, ...args: readonly string[]) =>
  execFileSync("go", ["build", "-mod=mod", "-trimpath", ...args], {
    cwd,
    env: { ...process.env, CGO_ENABLED: "0" },
    stdio: "pipe",
  });

/** Compiles sources in Java with the generated package; returns the class path that they run with. */
export function compileJava(packages: string, folder: string, ...sources: readonly string[]): string {
  const [jar = ""] = jarsIn(packages);
  const path = [folder, jar, dependenciesOf(join(packages, "java"))].join(delimiter);
  mkdirSync(folder, { recursive: true });
  execFileSync("javac", ["-cp", path, "-d", folder, ...sources], { stdio: "pipe" });
  return path;
}

/** The class path of a project's dependencies. Maven is asked once, because its start takes seconds. */
function dependenciesOf(project: string): string {
  const file = join(project, "class-path");
  const args = ["-q", "-B", "dependency:build-classpath", `-Dmdep.outputFile=${file}`];
  if (!existsSync(file)) execFileSync("mvn", args, { cwd: project, stdio: "pipe" });
  return readFileSync(file, "utf8").trim();
}

/** What follows `runtime:` in Pulumi.yaml for a program that a command runs, by the tests' language host. */
export const runtimeOf = (command: readonly string[]): string =>
  JSON.stringify({ name: "process", options: { command } });
export const PATH = [join(__dirname, "host"), PLUGIN_BIN, process.env.PATH ?? ""];
/** Starting Maven to ask for its version would take a second, for each case. */
const isHere = (program: string): boolean => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;

/** The jar of the package for Java, and that of its sources. */
export const jarsIn = (packages: string): string[] => {
  const { version } = JSON.parse(readFileSync(join(ROOT, "plugin/package.json"), "utf8")) as {
    version: string;
  };
  return ["", "-sources"].map((part) => join(packages, `packed/tunnelplane-${version}${part}.jar`));
};

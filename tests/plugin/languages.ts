import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { ROOT } from "./cli";

const PROGRAMS = join(__dirname, "programs");
/** A Python of its own, made by the set-up. */
export const PYTHON = join(ROOT, "node_modules/.tunnelplane/pulumi-python/bin/python");

interface Language {
  readonly name: string;
  /** What its programs cannot be built or run without, and which is not here. */
  missing(): string | undefined;
  /**
   * Builds the program of this language in a folder.
   *
   * @param packages the folder of all generated packages
   * @returns the command that runs it
   */
  build(packages: string, folder: string): string[];
}

/** Those whose programs can be run with what package registries have. */
export const languages: readonly Language[] = [
  {
    name: "Python",
    missing: () => (existsSync(PYTHON) ? undefined : "Python; see scripts/setup.cjs"),
    build: (packages) => {
      const [run, program] = ["run.py", "program.py"].map((file) => join(PROGRAMS, "python", file)) as [string, string];
      return ["env", `PYTHONPATH=${join(packages, "python")}`, "PYTHONDONTWRITEBYTECODE=1", PYTHON, run, program];
    },
  },
  {
    name: "Go",
    missing: () => (isHere("go") ? undefined : "Go"),
    build: (packages, folder) => {
      const module = readFileSync(join(packages, "go/go.mod"), "utf8");
      const [, path] = /^module (.*)$/m.exec(module) ?? [];
      const requires = `${/^go .*$/m.exec(module)?.[0]}\n\n${/^require .*$/m.exec(module)?.[0]}\nrequire ${path} v0.0.0\n`;
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "go.mod"), `module example.com/tunnels\n\n${requires}\nreplace ${path} => ${join(packages, "go")}\n`);
      copyFileSync(join(PROGRAMS, "go/main.go"), join(folder, "main.go"));
      const program = join(folder, "tunnels");
      // Without paths in it, what is compiled is kept for the next time, wherever it is.
      const env = { ...process.env, CGO_ENABLED: "0" };
      execFileSync("go", ["build", "-mod=mod", "-trimpath", "-ldflags", "-s -w", "-o", program, "."], { cwd: folder, env, stdio: "pipe" });
      return [program];
    },
  },
  {
    name: "Java",
    missing: () => (isHere("mvn") && isHere("javac") ? undefined : "Java with Maven"),
    build: (packages, folder) => {
      const cwd = join(packages, "java");
      const file = join(folder, "class-path");
      mkdirSync(folder, { recursive: true });
      execFileSync("mvn", ["-q", "-B", "dependency:build-classpath", `-Dmdep.outputFile=${file}`], { cwd, stdio: "pipe" });
      const [jar = ""] = jarsIn(packages);
      const path = [jar, readFileSync(file, "utf8").trim()].join(delimiter);
      execFileSync("javac", ["-cp", path, "-d", folder, join(PROGRAMS, "java/App.java")], { stdio: "pipe" });
      return ["java", "-cp", [folder, path].join(delimiter), "App"];
    },
  },
];

const isHere = (program: string): boolean => !spawnSync(program, ["--version"]).error;

/** The jar of the package for Java, and that of its sources. */
export const jarsIn = (packages: string): string[] => {
  const { version } = JSON.parse(readFileSync(join(ROOT, "plugin/package.json"), "utf8")) as { version: string };
  return ["", "-sources"].map((part) => join(packages, `packed/tunnelplane-${version}${part}.jar`));
};

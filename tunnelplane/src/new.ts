import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { codeOf } from "@tunnelplane/sdk/contract";
import { Command, Option } from "commander";

interface Options {
  readonly example?: string;
  readonly ci?: string;
  readonly commonjs: boolean;
  readonly tsNode: boolean;
  readonly packages?: string;
}

interface Project {
  create(
    folder: string,
    options: Options,
  ): { folder: string; manager: string; pipeline: string | undefined; isNew: boolean };
  examples(): string[];
  told(made: ReturnType<Project["create"]>): string;
}

/**
 * `new`: what the package `create-tunnelplane` does.
 *
 * @param from the folder of create-tunnelplane
 * @param packages the folder of the tarballs that this package brings along
 */
export function newCommand(from: string, packages: string | undefined): Command {
  const project: Project = require(join(from, "project.cjs"));
  return new Command("new")
    .description("Start a Pulumi project that declares tunnels")
    .argument("<folder>", "a new folder; with only --ci, that of a project")
    .addOption(new Option("--example <name>", "start from an example").choices(project.examples()))
    .addOption(
      new Option("--ci <service>", "write a pipeline too, which reviews and deploys").choices([
        "github",
        "gitlab",
      ]),
    )
    .option("--commonjs", "write a CommonJS project instead of an ES module", false)
    .option("--ts-node", "have ts-node run the program and check its types, instead of Node alone", false)
    .option("--packages <folder>", "take tunnelplane's packages from tarballs in this folder")
    .action((folder: string, options: Options) => {
      const isThere = existsSync(join(folder, "Pulumi.yaml"));
      if (packages === undefined || options.packages !== undefined || isThere)
        console.log(project.told(project.create(folder, options)));
      else
        withTarballs(packages, (all) =>
          console.log(project.told(project.create(folder, { ...options, packages: all }))),
        );
    });
}

const NO_NPM =
  "there is no npm on the PATH, which a project needs: install Node, which brings it (https://nodejs.org)";

/** The tarballs that came along, and one of this package itself: npm packs what is installed. */
function withTarballs(brought: string, use: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "tunnelplane-new-"));
  try {
    cpSync(brought, folder, { recursive: true });
    execFileSync(
      "npm",
      ["pack", dirname(brought), "--ignore-scripts", "--silent", "--pack-destination", folder],
      { stdio: ["ignore", "ignore", "inherit"], shell: process.platform === "win32" },
    );
    use(folder);
  } catch (error) {
    if (codeOf(error) !== "ENOENT" || (error as NodeJS.ErrnoException).syscall !== "spawnSync npm")
      throw error;
    throw new Error(NO_NPM);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

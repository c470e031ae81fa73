import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { PLUGIN_BIN } from "../support/engine";

export const ROOT = join(__dirname, "../..");
const { locateEngine, yamlIsThere } = require("../../scripts/engine.cjs") as { locateEngine(): string; yamlIsThere(): boolean };

interface Printed {
  readonly code: number;
  readonly text: string;
}

/** Skips a test, and says so, where the engine has no language for YAML. */
export function needsYaml(context: Mocha.Context): void {
  if (yamlIsThere()) return;
  console.log("      skipped: the engine has no YAML language here; see scripts/engine.cjs");
  context.skip();
}

interface ProjectOptions {
  /** Where programs are found besides the engine's own. */
  readonly path?: readonly string[];
  /** What follows `runtime:` in Pulumi.yaml. */
  readonly runtime?: string;
}

/** A project of a user with its own state, used with the command line. */
export class Project {
  readonly folder = mkdtempSync(join(tmpdir(), "tunnelplane-native-"));
  readonly #env: NodeJS.ProcessEnv;
  readonly #runtime: string;

  constructor(
    server: { url: string; apiKey: string },
    program: string,
    { path = [PLUGIN_BIN, process.env.PATH ?? ""], runtime = "yaml" }: ProjectOptions = {},
  ) {
    this.#runtime = runtime;
    mkdirSync(join(this.folder, "state"));
    this.#env = {
      ...process.env,
      PATH: [join(locateEngine(), "bin"), ...path].join(delimiter),
      PULUMI_HOME: join(this.folder, "home"),
      PULUMI_BACKEND_URL: `file://${join(this.folder, "state")}`,
      PULUMI_CONFIG_PASSPHRASE: "passphrase of a stack that is thrown away",
      PULUMI_SKIP_UPDATE_CHECK: "1",
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
      TUNNELPLANE_BASE_URL: server.url,
      TUNNELPLANE_API_KEY: server.apiKey,
    };
    this.write(program);
  }

  write(program: string): void {
    writeFileSync(join(this.folder, "Pulumi.yaml"), `name: tunnels\nruntime: ${this.#runtime}\n${program}`);
  }

  pulumi(...args: string[]): Promise<Printed> {
    return new Promise((resolve) =>
      execFile(
        join(locateEngine(), "bin/pulumi"),
        [...args, "--non-interactive"],
        { cwd: this.folder, env: this.#env, maxBuffer: Infinity },
        (error, out, err) => resolve({ code: error ? 1 : 0, text: out + err }),
      ),
    );
  }

  /** The state file, with encrypted secrets. */
  stateFile = (): string => readFileSync(join(this.folder, "state/.pulumi/stacks/tunnels/dev.json"), "utf8");

  dispose(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

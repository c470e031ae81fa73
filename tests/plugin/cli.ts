import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { engineEnvironment, makeStack, PLUGIN_BIN } from "../support/engine";
import { newFolder } from "../support/folder";

export const ROOT = join(__dirname, "../..");
const { isBesideEngine, locateEngine } = require("../../tools/scripts/engine.cjs") as {
  isBesideEngine(program: string): boolean;
  locateEngine(): string;
};

const STACK = "dev";
type Printed = { readonly code: number; readonly text: string };

/** Skips a test, and says so, where the engine lacks a part, for example the host of a language. */
export function needsBesideEngine(context: Mocha.Context, ...programs: readonly string[]): void {
  const missing = programs.find((program) => !isBesideEngine(program));
  if (missing === undefined) return;
  console.log(`      skipped: there is no ${missing} beside the engine here; see tools/scripts/engine.cjs`);
  context.skip();
}

export const needsYaml = (context: Mocha.Context): void => needsBesideEngine(context, "pulumi-language-yaml");

interface ProjectOptions {
  readonly path?: readonly string[];
  readonly runtime?: string;
}

/** A project of a user with its own state and a stack `dev`, used with the command line. */
export class Project {
  readonly folder = newFolder();
  readonly #env: NodeJS.ProcessEnv;

  constructor(
    server: { url: string; apiKey: string },
    program: string,
    { path = [PLUGIN_BIN, process.env.PATH ?? ""], runtime = "yaml" }: ProjectOptions = {},
  ) {
    makeStack(this.folder, STACK);
    this.#env = {
      ...{ ...process.env, PATH: [join(locateEngine(), "bin"), ...path].join(delimiter) },
      ...{ PULUMI_HOME: join(this.folder, "home"), PULUMI_STACK: STACK },
      ...{ PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true", TUNNELPLANE_BASE_URL: server.url },
      TUNNELPLANE_API_KEY: server.apiKey,
    };
    this.write(program, runtime);
  }

  write(program: string, runtime = "yaml"): void {
    writeFileSync(join(this.folder, "Pulumi.yaml"), `name: tunnels\nruntime: ${runtime}\n${program}`);
  }

  pulumi = async (...args: string[]): Promise<Printed> => (await this.start(...args)).ended;

  async start(...args: string[]): Promise<{ command: ChildProcess; ended: Promise<Printed> }> {
    const command = spawn(join(locateEngine(), "bin/pulumi"), [...args, "--non-interactive"], {
      cwd: this.folder,
      env: { ...this.#env, ...(await engineEnvironment(this.folder)) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const texts = Promise.all([text(command.stdout), text(command.stderr)]);
    const ended = once(command, "close").then(async ([code]) => ({
      code: code as number,
      text: (await texts).join(""),
    }));
    return { command, ended };
  }

  stateFile = (): string =>
    readFileSync(join(this.folder, `state/.pulumi/stacks/tunnels/${STACK}.json`), "utf8");
}

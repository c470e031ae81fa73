import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import * as auto from "@pulumi/pulumi/automation";
import { atEndOfFile } from "./endOfFile";
import { KEY_SETTINGS, keyEnvironment } from "./keyService";
import type { Recorded, State, Stored } from "./stackState";
import { OURS, outputsIn, resourcesIn, restoreTorn } from "./stackState";

const { locateEngine } = require("../../tools/scripts/engine.cjs") as { locateEngine(): string | undefined };
const PACKAGES = join(__dirname, "../../node_modules");
export const PLUGIN_BIN = join(__dirname, "../../plugin/bin");

// Programs run in this process, on one engine after another. After a failed connection, gRPC keeps treating
// the port as dead for a while, even if the next engine listens there. Pulumi then takes the program for one
// that declares nothing and would delete everything. A pool of its own makes each connection try by itself.
const { grpcClientOptions } = require("@pulumi/pulumi/runtime/settings") as {
  grpcClientOptions: Record<string, unknown>;
};
grpcClientOptions["grpc.use_local_subchannel_pool"] = 1;

/** A step that the engine took, or would take, with one resource. */
export interface Step {
  /** For example `create`, `update`, `same`, `create-replacement`, `delete`. */
  readonly op: string;
  readonly type: string;
  readonly name: string;
  /** The changed properties, in the engine's spelling: `acl[1]`, `tlsTermination.minVersion`. */
  readonly changes: readonly string[];
}

export interface Run {
  readonly steps: readonly Step[];
  readonly stdout: string;
  readonly stderr: string;
  readonly warnings: readonly string[];
}

export interface EngineOptions {
  readonly program: auto.PulumiFn;
  readonly env: Record<string, string>;
  readonly config?: auto.ConfigMap;
  /** Whether to write a checkpoint after every step, as stacks of users do; by default only at the end. */
  readonly checkpoints?: boolean;
  readonly stackName?: string;
  /** The folder of another engine than the one that the set-up made. */
  readonly root?: string;
}

/** How the Automation API runs the engine; missing from its types. */
type EngineCommand = { run(args: string[], ...rest: unknown[]): Promise<{ stdout: string }> };
const commands = new Map<string, Promise<auto.PulumiCommand & EngineCommand>>();

async function commandOf(root: string): Promise<auto.PulumiCommand & EngineCommand> {
  const known = commands.get(root);
  if (known) return known;
  const command = auto.PulumiCommand.get({ root }) as Promise<auto.PulumiCommand & EngineCommand>;
  commands.set(root, command);
  return command;
}

/** Commands that the Automation API starts after each update for fields that nobody reads, and answers. */
const UNREAD: Readonly<Record<string, string>> = { select: "", output: "{}", history: "[]" };

/** A stack of its own on the real engine, with its state in a temporary folder. */
export class Engine {
  /** Everything the engine emitted, except for debug events, which contain secrets by design. */
  readonly events: string[] = [];

  private constructor(
    readonly folder: string,
    private readonly stack: auto.Stack,
    private readonly stackName: string,
    private readonly command: EngineCommand,
  ) {
    atEndOfFile(() => this.dispose());
  }

  static async create(options: EngineOptions): Promise<Engine> {
    const folder = mkdtempSync(join(tmpdir(), "tunnelplane-stack-"));
    // A project like a user's, with the packages that its resources load at run time.
    symlinkSync(PACKAGES, join(folder, "node_modules"));
    writeFileSync(join(folder, "Pulumi.yaml"), "name: tunnels\nruntime: nodejs\n");
    return Engine.open(folder, options);
  }

  /** Opens a stack in the folder of another engine; the same stack unless it has another name. */
  static async open(
    folder: string,
    {
      program,
      env,
      config = {},
      checkpoints = false,
      stackName = "dev",
      root = locateEngine(),
    }: EngineOptions,
  ): Promise<Engine> {
    if (!root) throw new Error("There is no Pulumi engine; `node tools/scripts/setup.cjs engine` gets one");
    const command = await commandOf(root);
    const lean = Object.create(command) as typeof command;
    lean.run = async (args, ...rest) => {
      const unread = args[0] === "stack" ? UNREAD[args[1] ?? ""] : undefined;
      return unread === undefined ? command.run(args, ...rest) : { stdout: unread };
    };
    makeStack(folder, stackName);
    const stack = await auto.LocalWorkspace.selectStack(
      { projectName: "tunnels", stackName, program },
      {
        workDir: folder,
        pulumiCommand: lean,
        envVars: {
          ...{ ...(await engineEnvironment(folder)), PULUMI_SKIP_CHECKPOINTS: String(!checkpoints) },
          ...{ PATH: `${PLUGIN_BIN}${delimiter}${process.env.PATH}`, ...env },
        },
      },
    );
    if (Object.keys(config).length > 0) await stack.setAllConfig(config);
    return new Engine(folder, stack, stackName, lean);
  }

  preview = (options: auto.PreviewOptions = {}) =>
    this.run((onEvent) => this.stack.preview({ ...options, onEvent }));

  async previewJson(flags: readonly string[] = ["--show-sames"]): Promise<string> {
    const { run } = this.command;
    let printed = "";
    this.command.run = async (args, ...rest) => {
      const isPreview = args[0] === "preview";
      const result = await run
        .call(this.command, isPreview ? [...args, "--json", ...flags] : args, ...rest)
        .catch((error) => {
          // The Automation API puts the whole output into the message.
          if (isPreview) printed = /^\{\n.*?^\}$/ms.exec(String(error.message))?.[0] ?? "";
          throw error;
        });
      if (isPreview) printed = result.stdout;
      return result;
    };
    try {
      await this.stack.preview();
    } catch (error) {
      if (!printed) throw error;
    } finally {
      this.command.run = run;
    }
    return printed;
  }

  /** The event log of a preview, a line each, debug messages too: it holds secrets in clear. */
  async previewLog(options: auto.PreviewOptions = {}): Promise<string> {
    let log = "";
    await this.stack.preview({
      debug: true,
      ...options,
      onEvent: (event) => {
        log += `${JSON.stringify(event)}\n`;
      },
    });
    return log;
  }

  up = (options: auto.UpOptions = {}) => this.run((onEvent) => this.stack.up({ ...options, onEvent }));
  refresh = (options: auto.RefreshOptions = {}) =>
    this.run((onEvent) => this.stack.refresh({ ...options, onEvent }));
  destroy = (options: auto.DestroyOptions = {}) =>
    this.run((onEvent) => this.stack.destroy({ ...options, onEvent }));
  /** Removes the lock of a killed run, as `pulumi cancel` does. Costs no start of the engine. */
  cancel = (): void => rmSync(join(this.folder, "state/.pulumi/locks"), { recursive: true, force: true });
  /** What the stack's program put out, with secrets in clear. Costs no start of the engine. */
  outputs = (): auto.OutputMap => outputsIn(this.latest);

  /** Changes the state of each resource, as another version or a hand would have. Starts no engine. */
  editState(edit: (resource: Stored) => void): void {
    const state = JSON.parse(this.stateFile());
    state.checkpoint.latest.resources.forEach(edit);
    writeFileSync(this.statePath, JSON.stringify(state));
  }

  /** What `pulumi stack export` prints, with encrypted secrets. */
  async exported(): Promise<string> {
    const { workDir, envVars } = this.stack.workspace;
    return (await this.command.run(["stack", "export", "--stack", this.stackName], workDir, envVars)).stdout;
  }

  stateFile = () => readFileSync(this.statePath, "utf8");

  /** Our resources in the state by URN, without the text of secrets. Costs no start of the engine. */
  resources = (): Recorded[] => resourcesIn(this.latest);

  /** What a run began and did not end, as its state has it. */
  pendingOperations = (): readonly unknown[] => this.latest?.pending_operations ?? [];

  private get latest(): State | undefined {
    return JSON.parse(this.stateFile()).checkpoint.latest;
  }

  private get statePath(): string {
    return join(this.folder, `state/.pulumi/stacks/tunnels/${this.stackName}.json`);
  }

  restoreTornState = (): void => restoreTorn(this.statePath);

  usePackages(packages: string): void {
    rmSync(join(this.folder, "node_modules"));
    symlinkSync(packages, join(this.folder, "node_modules"));
  }

  /** Deletes the stack's files on this machine. Its objects on servers stay. */
  dispose(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async run(
    operation: (onEvent: (event: auto.EngineEvent) => void) => Promise<{ stdout: string; stderr: string }>,
  ): Promise<Run> {
    const steps: Step[] = [];
    const warnings: string[] = [];
    const { stdout, stderr } = await operation((event) => {
      if (AMBIENT.test(event.diagnosticEvent?.message ?? "")) return;
      if ((event.diagnosticEvent?.severity as string) !== "debug") this.events.push(JSON.stringify(event));
      if (event.diagnosticEvent?.severity === "warning") warnings.push(event.diagnosticEvent.message);
      const metadata = event.resourcePreEvent?.metadata;
      if (metadata && OURS.test(metadata.urn)) steps.push(stepOf(metadata));
    });
    return { steps, stdout, stderr, warnings };
  }
}

/** Makes short runs cheap: no garbage collection (a sixth), fewer modules (`leanPulumi.cjs`; two thirds). */
export const LEAN_ENGINE = {
  GOGC: "off",
  GOMEMLIMIT: "512MiB",
  NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --require=${JSON.stringify(join(__dirname, "leanPulumi.cjs"))}`,
};

export const engineEnvironment = async (folder: string): Promise<Record<string, string>> => ({
  PULUMI_BACKEND_URL: `file://${join(folder, "state")}`,
  PULUMI_SKIP_UPDATE_CHECK: "1",
  ...LEAN_ENGINE,
  ...(await keyEnvironment()),
});

/** Writes what `pulumi stack init` writes, without the engine; nothing if the stack is there. */
export function makeStack(folder: string, name: string): void {
  const state = join(folder, "state/.pulumi");
  const file = join(state, `stacks/tunnels/${name}.json`);
  if (existsSync(file)) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(join(state, "meta.yaml"), "version: 1\n");
  writeFileSync(file, JSON.stringify({ version: 3, checkpoint: { stack: `organization/tunnels/${name}` } }));
  writeFileSync(join(folder, `Pulumi.${name}.yaml`), KEY_SETTINGS);
}

/** The engine's warning that the native provider is on the PATH, as in tests only. */
const AMBIENT = /using pulumi-resource-tunnelplane from \$PATH/;
function stepOf({ op, urn, diffs, detailedDiff }: auto.StepEventMetadata): Step {
  const [, , type = "", name = ""] = urn.split("::");
  const detailed = Object.keys(detailedDiff ?? {});
  return {
    ...{ op, type: type.split(":").at(-1) ?? type, name },
    changes: detailed.length > 0 ? detailed : (diffs ?? []),
  };
}

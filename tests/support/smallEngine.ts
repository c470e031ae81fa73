import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Plugin, struct } from "../plugin/plugin";
import { newFolder } from "./folder";
import type { Name } from "./providers";

type Properties = Record<string, unknown>;

/** A resource of a program; its arguments may name the ids of others, which are declared before it. */
export interface Declared {
  readonly type: string;
  /** As the provider's code names it: `tls_edge.backend`. */
  readonly kind: string;
  readonly name: string;
  readonly args: (idOf: (name: string) => string) => Properties;
  /** What a program lets the dynamic provider know of its other resources. */
  readonly hints?: Properties;
}

interface Row {
  readonly urn: string;
  readonly type: string;
  readonly id: string;
  readonly name: string;
  inputs: Properties;
  outputs: Properties;
  /** Whether it was replaced, and is still to be deleted. */
  delete?: true;
  taint?: true;
}

/**
 * Runs programs as Pulumi's engine does, on the providers' own processes: one step after the other, new
 * objects first, deletions last and in reverse, the state kept after each step. A run takes a tenth of the
 * engine's time, so that a run can be broken off at each of its requests.
 */
export class SmallEngine {
  rows: Row[] = [];
  #plugin: Plugin | undefined;
  readonly #folder = newFolder();

  constructor(
    private readonly provider: Name,
    private readonly env: Record<string, string>,
  ) {
    // The provider asks for the state of the stack as it always does.
    const command = join(this.#folder, "pulumi");
    writeFileSync(command, `#!/bin/sh\nexec /bin/cat "${this.#folder}/state.json"\n`);
    chmodSync(command, 0o755);
  }

  kill = (): void => this.#plugin?.kill();
  dispose = (): void => rmSync(this.#folder, { recursive: true, force: true });

  /** Marks resources that the next run replaces. */
  taint(names: readonly string[]): void {
    for (const row of this.rows) if (names.includes(row.name)) row.taint = true;
    this.#save();
  }

  async up(program: readonly Declared[]): Promise<void> {
    this.#save();
    const env = { ...this.env, PATH: this.#folder, PULUMI_BACKEND_URL: `file://${this.#folder}` };
    this.#plugin = await Plugin.start(env, {}, "default", this.provider);
    try {
      for (const declared of program) await this.#register(this.#plugin, declared);
      const names = program.map(({ name }) => name);
      for (const row of this.rows.toReversed())
        if (row.delete || !names.includes(row.name)) await this.#delete(this.#plugin, row);
    } finally {
      await this.#plugin.stop();
    }
  }

  async #register(plugin: Plugin, { type, kind, name, args, hints }: Declared): Promise<void> {
    const token =
      this.provider === "native" ? `tunnelplane:index:${type}` : `pulumi-nodejs:dynamic/tunnelplane:${type}`;
    const urn = `urn:pulumi:dev::tunnels::${token}::${name}`;
    const own = args((of) => this.#current(of)?.id ?? of);
    const news: Properties =
      this.provider === "native"
        ? own
        : {
            ...own,
            __provider: `exports.handler=()=>require("@tunnelplane/pulumi/dynamic")("${kind}")`,
            __origin: { urn, stack: "organization/tunnels/dev", preview: false, ...hints },
          };
    const old = this.#current(name);
    const checked = async (olds: Properties): Promise<Properties> => {
      const request = new messages.CheckRequest().setUrn(urn).setOlds(struct(olds)).setNews(struct(news));
      const answer = await plugin.ask<messages.CheckResponse>("check", request);
      const failures = answer.getFailuresList().map((failure) => failure.getReason());
      if (failures.length > 0) throw new Error(failures.join("; "));
      return valuesOf(answer.getInputs());
    };
    const create = async (inputs: Properties): Promise<void> => {
      const request = new messages.CreateRequest().setUrn(urn).setProperties(struct(inputs));
      const made = (part: { getId(): string; getProperties(): unknown }, kept: Properties) => {
        if (old) old.delete = true;
        const outputs = valuesOf(part.getProperties());
        this.rows.push({ urn, type: token, name, id: part.getId(), inputs: kept, outputs });
      };
      made(await partly(plugin.ask<messages.CreateResponse>("create", request), made), inputs);
    };
    if (!old) await create(await checked({}));
    else if (old.taint) {
      await checked(old.inputs);
      await create(await checked({}));
    } else {
      const inputs = await checked(old.inputs);
      const about = <R extends messages.DiffRequest | messages.UpdateRequest>(request: R): R => {
        request.setUrn(urn).setId(old.id).setNews(struct(inputs));
        request.setOlds(struct(old.outputs)).setOldInputs(struct(old.inputs));
        return request;
      };
      const diff = await plugin.ask<messages.DiffResponse>("diff", about(new messages.DiffRequest()));
      const { DIFF_NONE, DIFF_UNKNOWN } = messages.DiffResponse.DiffChanges;
      const isSame = JSON.stringify(old.inputs) === JSON.stringify(inputs);
      if (diff.getReplacesList().length > 0) await create(await checked({}));
      else if (diff.getChanges() !== DIFF_NONE && !(diff.getChanges() === DIFF_UNKNOWN && isSame)) {
        const update = plugin.ask<messages.UpdateResponse>("update", about(new messages.UpdateRequest()));
        const answer = await partly(update, (part) => {
          old.outputs = valuesOf(part.getProperties());
        });
        Object.assign(old, { inputs, outputs: valuesOf(answer.getProperties()) });
      } else old.inputs = inputs;
    }
    this.#save();
  }

  async #delete(plugin: Plugin, row: Row): Promise<void> {
    const { urn, id, inputs, outputs } = row;
    const request = new messages.DeleteRequest().setUrn(urn).setId(id);
    await plugin.ask("delete", request.setProperties(struct(outputs)).setOldInputs(struct(inputs)));
    this.rows.splice(this.rows.indexOf(row), 1);
    this.#save();
  }

  #current = (name: string): Row | undefined => this.rows.find((row) => row.name === name && !row.delete);

  #save(): void {
    const state = { deployment: { resources: this.rows } };
    writeFileSync(join(this.#folder, "state.json"), JSON.stringify(state));
  }
}

const valuesOf = (given: unknown): Properties =>
  (given as { toJavaScript(): Properties } | undefined)?.toJavaScript() ?? {};

/** The answer to a step; notes what a step that failed recorded. */
async function partly<T>(
  step: Promise<T>,
  note: (part: ErrorResourceInitFailed, inputs: Properties) => void,
): Promise<T> {
  try {
    return await step;
  } catch (error) {
    const { partly: part } = error as { partly?: ErrorResourceInitFailed };
    if (part) note(part, valuesOf(part.getInputs()));
    throw error;
  }
}

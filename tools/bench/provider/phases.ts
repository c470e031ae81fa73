import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import * as tunnels from "@tunnelplane/pulumi";
import { Engine } from "../../../tests/support/engine";
import { native } from "../../../tests/support/providers";
import { catalogueOf } from "../changesets/objects";
import { cpuSeconds } from "../processes";

export const PHASES = ["preview", "create", "no-op", "refresh", "update all", "destroy"] as const;
export type Phase = (typeof PHASES)[number];

/**
 * The provider of a stack's resources: ours, or one that does nothing; or all objects as one `CatalogueSet`.
 */
export type Side = "ours" | "native" | "floor" | "set";

export interface Cost {
  /** Seconds. */
  readonly wall: number;
  readonly cpu: number | null;
  /** Bytes of the state file after the phase. */
  readonly state: number;
}

export interface StackJob {
  readonly side: Side;
  readonly count: number;
  readonly env: Record<string, string>;
}

class Nothing extends pulumi.CustomResource {}

const LITERAL = `exports.handler=()=>require(${JSON.stringify(join(__dirname, "nothing.cjs"))})`;

const DECLARE: Record<Exclude<Side, "set">, (name: string, description: string) => void> = {
  ours: (name, description) => void new tunnels.IpPolicy(name, { description }),
  native: (name, description) => void new native.IpPolicy(name, { description }),
  floor: (name, description) =>
    void new Nothing("pulumi-nodejs:dynamic/bench:Nothing", name, {
      description,
      metadata: "",
      uri: undefined,
      createdAt: undefined,
      __provider: LITERAL,
    }),
};

// Each stack runs in a process of its own, so that its memory can be measured. Each message to the process
// runs a phase.
process.once("message", async ({ side, count, env }: StackJob) => {
  try {
    let description = "first";
    const program = async () => {
      if (side === "set") {
        const file = join(engine.folder, "catalogue.yaml");
        writeFileSync(
          file,
          catalogueOf(count).replaceAll("description: policy", `description: ${description}`),
        );
        new tunnels.CatalogueSet("bench", { file });
        return;
      }
      for (let index = 0; index < count; index++) DECLARE[side](`policy-${index}`, description);
    };
    // As users start providers, without what makes short tests cheap.
    const asUsers = { ...env, NODE_OPTIONS: "" };
    const engine: Engine = await Engine.create({ program, env: asUsers, checkpoints: true });
    const run: Record<Phase, () => Promise<unknown>> = {
      preview: engine.preview,
      create: () => engine.up(),
      "no-op": () => engine.up(),
      refresh: engine.refresh,
      "update all": () => {
        description = "second";
        return engine.up();
      },
      destroy: engine.destroy,
    };
    process.on("message", async (phase: Phase | "end") => {
      if (phase === "end") {
        engine.dispose();
        process.disconnect();
        return;
      }
      const before = { cpu: cpuSeconds(["self"]), time: performance.now() };
      await run[phase]().catch(fail);
      const cpu = cpuSeconds(["self"]);
      process.send?.({
        wall: (performance.now() - before.time) / 1000,
        cpu: cpu === undefined || before.cpu === undefined ? null : cpu - before.cpu,
        state: phase === "preview" ? 0 : Buffer.byteLength(engine.stateFile()),
      } satisfies Cost);
    });
    process.send?.("ready");
  } catch (error) {
    fail(error as Error);
  }
});

function fail(error: Error): void {
  console.error(error.stack);
  process.exit(1);
}

import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import * as tunnels from "@tunnelplane/pulumi";
import { Engine } from "../support/engine";
import { ServerProcess } from "../support/server";
import { cpuSeconds } from "./cpu";

export const PHASES = ["preview", "create", "no-op", "refresh", "update all", "destroy"] as const;
export type Phase = (typeof PHASES)[number];

export interface Cost {
  readonly wall: number;
  readonly cpu: number | undefined;
  readonly requests: number;
}

/** What each phase costs for so many IP policies, with our provider and a real server. */
export async function measureOurs(count: number): Promise<Record<Phase, Cost>> {
  const server = await ServerProcess.start();
  const declare = (name: string, description: string) => void new tunnels.IpPolicy(name, { description });
  try {
    const env = { TUNNELPLANE_BASE_URL: server.url, TUNNELPLANE_API_KEY: server.apiKey };
    return await measure(count, declare, env, () => server.log.split('"msg":"request"').length - 1);
  } finally {
    await server.stop();
  }
}

class Nothing extends pulumi.CustomResource {}

/** What the same costs with a provider that does nothing. */
export function measureFloor(count: number): Promise<Record<Phase, Cost>> {
  const literal = `exports.handler=()=>require(${JSON.stringify(join(__dirname, "floor.cjs"))})`;
  const declare = (name: string, description: string) => {
    new Nothing("pulumi-nodejs:dynamic/bench:Nothing", name, {
      description,
      metadata: "",
      uri: undefined,
      createdAt: undefined,
      __provider: literal,
    });
  };
  return measure(count, declare, {}, () => 0);
}

async function measure(
  count: number,
  declare: (name: string, description: string) => void,
  env: Record<string, string>,
  requestsSoFar: () => number,
): Promise<Record<Phase, Cost>> {
  let description = "first";
  const program = async () => {
    for (let index = 0; index < count; index++) declare(`policy-${index}`, description);
  };
  const engine = await Engine.create({ program, env, checkpoints: true });
  const costOf = async (run: () => Promise<unknown>): Promise<Cost> => {
    const before = { requests: requestsSoFar(), cpu: cpuSeconds(), time: performance.now() };
    await run();
    const cpu = cpuSeconds();
    return {
      wall: (performance.now() - before.time) / 1000,
      cpu: cpu !== undefined && before.cpu !== undefined ? cpu - before.cpu : undefined,
      requests: requestsSoFar() - before.requests,
    };
  };
  try {
    return {
      preview: await costOf(() => engine.preview()),
      create: await costOf(() => engine.up()),
      "no-op": await costOf(() => engine.up()),
      refresh: await costOf(() => engine.refresh()),
      "update all": await costOf(() => {
        description = "second";
        return engine.up();
      }),
      destroy: await costOf(() => engine.destroy()),
    };
  } finally {
    engine.dispose();
  }
}

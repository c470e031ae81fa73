import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { ServerProcess } from "../../../tests/support/server";
import { watchMemory } from "../processes";
import { medianBy, type Row, ratio, type Section } from "../report/section";
import type { Settings } from "../settings";
import { type Cost, PHASES, type Phase, type Side, type StackJob } from "./phases";

interface Measurement extends Cost {
  /** Peak memory of program, engine and plugins, in bytes. */
  readonly memory: number | null;
  readonly requests: number;
}
export type Costs = Record<Phase, Measurement>;
type Measured = Record<Exclude<Side, "set">, Costs[]>;

/** The goals for processor time in every phase: compared with the floor, and native compared with dynamic. */
const goalOf = (count: number): number => (count < 1000 ? 1.08 : 1.05);
const NATIVE_GOAL = 0.85;
const MIB = 2 ** 20;

/**
 * Measures each phase of a stack, with our provider and a real server, and with a provider that does nothing.
 */
export async function measureProvider({ stacks }: Settings): Promise<Section[]> {
  const sections: Section[] = [];
  for (const { count, rounds } of stacks) {
    const measured: Measured = { ours: [], native: [], floor: [] };
    for (let round = 0; round < rounds; round++) {
      // Alternate, so that a slow spell of the machine hits both.
      measured.floor.push(await measureStack("floor", count, {}, () => 0));
      measured.ours.push(await measureOurs(count));
      measured.native.push(await measureOurs(count, "native"));
    }
    sections.push({
      part: "provider",
      title: `The provider: a stack of ${count} resources`,
      note: `IP policies on the real engine, with checkpoints, state in a file; ${rounds === 1 ? "one round" : `medians of ${rounds} rounds`}. The floor is the same engine with a provider that does nothing; native is the provider for every language, in times of ours. Processor time and memory (resident, added up) are those of program, engine and plugins; the server is not among them.`,
      columns: {
        phase: "",
        requests: "requests",
        expected: "expected",
        cpu: "CPU s",
        cpuFloor: "floor",
        cpuRatio: "×",
        goal: "goal",
        reached: "",
        cpuNative: "native",
        nativeRatio: "× ours",
        nativeGoal: "goal",
        nativeReached: "",
        wall: "wall s",
        wallFloor: "floor",
        wallRatio: "×",
        memory: "peak MiB",
        memoryFloor: "floor",
        memoryRatio: "×",
        memoryNative: "native",
        memoryNativeRatio: "× ours",
        state: "state KiB",
        stateFloor: "floor",
        stateRatio: "×",
      },
      rows: PHASES.map((phase) => rowOf(phase, count, measured)),
    });
  }
  return sections;
}

function rowOf(phase: Phase, count: number, measured: Measured): Row {
  const middle = (side: keyof Measured, figure: keyof Measurement) =>
    medianBy(measured[side], (round) => round[phase][figure] ?? 0)[phase][figure];
  const pair = (figure: keyof Measurement, unit = 1): Row => {
    const [ours, floor] = [middle("ours", figure), middle("floor", figure)];
    return {
      [figure]: ours === null ? null : ours / unit,
      [`${figure}Floor`]: floor === null ? null : floor / unit,
      [`${figure}Ratio`]: ratio(ours, floor),
    };
  };
  /** The native provider beside the dynamic one. */
  const beside = (figure: keyof Measurement, name: string, ratioName: string, unit = 1): Row => {
    const [native, ours] = [middle("native", figure), middle("ours", figure)];
    return { [name]: native === null ? null : native / unit, [ratioName]: ratio(native, ours) };
  };
  const cpu = pair("cpu");
  const native = beside("cpu", "cpuNative", "nativeRatio");
  const goal = goalOf(count);
  return {
    phase,
    requests: [...new Set(measured.ours.map((round) => round[phase].requests))].join("/"),
    expected: phase === "preview" || phase === "no-op" ? 0 : count,
    ...cpu,
    goal: `≤ ${goal}`,
    reached: typeof cpu.cpuRatio === "number" ? cpu.cpuRatio <= goal : null,
    ...native,
    nativeGoal: `≤ ${NATIVE_GOAL}`,
    nativeReached: typeof native.nativeRatio === "number" ? native.nativeRatio <= NATIVE_GOAL : null,
    ...pair("wall"),
    ...pair("memory", MIB),
    ...beside("memory", "memoryNative", "memoryNativeRatio", MIB),
    ...(phase === "preview" ? {} : pair("state", 1024)),
  };
}

/** @param side our resources, or all as one */
export async function measureOurs(count: number, side: Side = "ours"): Promise<Costs> {
  const server = await ServerProcess.start();
  const env = { TUNNELPLANE_BASE_URL: server.url, TUNNELPLANE_API_KEY: server.apiKey };
  try {
    return await measureStack(side, count, env, () => server.log.split('"msg":"request"').length - 1);
  } finally {
    await server.stop();
  }
}

async function measureStack(
  side: Side,
  count: number,
  env: Record<string, string>,
  requestsSoFar: () => number,
): Promise<Costs> {
  const child = fork(join(__dirname, "phases.ts"));
  try {
    await ask(child, { side, count, env } satisfies StackJob);
    const costs = {} as Costs;
    for (const phase of PHASES) {
      const before = requestsSoFar();
      const peak = watchMemory(child.pid as number); // from here: the look at all processes takes processor time
      const cost = (await ask(child, phase)) as Cost;
      costs[phase] = { ...cost, memory: peak() ?? null, requests: requestsSoFar() - before };
    }
    child.send("end");
    return costs;
  } catch (error) {
    child.kill();
    throw error;
  }
}

function ask(child: ChildProcess, message: StackJob | Phase): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = () =>
      reject(new Error(`The stack failed in ${JSON.stringify(message)}; its output is above`));
    child.once("exit", ended);
    child.once("message", (answer) => {
      child.off("exit", ended);
      resolve(answer);
    });
    child.send(message);
  });
}

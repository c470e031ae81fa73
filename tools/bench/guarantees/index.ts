import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PostgresServer } from "../../../tests/support/postgres";
import { LoadGenerator } from "../load";
import type { LoadResult } from "../load/job";
import { medianBy, type Row, ratio, type Section } from "../report/section";
import { CONNECTIONS } from "../server/contender";
import { jobOf } from "../server/subject";
import { amount, type Settings } from "../settings";
import { makeWorld, OF_ONE, type World } from "./world";

/** A write that no guarantee looks at may take this part more processor time than without guarantees. */
const MORE = 1.05;
/** The p99 in milliseconds of a write that many guarantees look at, beside other writers. */
const P99 = 20;
/** How long the event loop may be held, in milliseconds. */
const HELD = 50;
/** The load beside, and how long each of its connections pauses after an answer, in milliseconds. */
const MIX = "mix 60/10/15/15";
const PAUSES = [20, 0];
/** Pairs of runs in a round, and the part of the usual time that each takes: many short ones scatter less. */
const PAIRS = 12;
const PART = 1 / 2;

/** Measures what guarantees cost: writes that none looks at, and writes that many look at. */
export async function measureGuarantees(settings: Settings): Promise<Section[]> {
  const [generator, writer] = [new LoadGenerator(), new LoadGenerator()];
  const postgres = await PostgresServer.start({ durable: true });
  const folders: string[] = [];
  const folder = () => {
    const made = mkdtempSync(join(tmpdir(), "tunnelplane-bench-"));
    folders.push(made);
    return made;
  };
  const [untouched, touching]: [Row[], Row[]] = [[], []];
  try {
    for (const [database, create] of [
      ["SQLite", async () => folder()],
      ["PostgreSQL", () => postgres.newDatabase()],
    ] as const) {
      const make = async (guaranteed: boolean) =>
        makeWorld(await create(), settings.guaranteed, { generator, guaranteed });
      const worlds: World[] = [];
      try {
        for (const isGuaranteed of [false, true]) worlds.push(await make(isGuaranteed));
        const [without, guaranteed] = worlds as [World, World];
        untouched.push({ database, ...(await besideEachOther(without, guaranteed, settings, generator)) });
        for (const pause of PAUSES)
          for (const [guarantees, world] of [
            [0, without],
            [OF_ONE, guaranteed],
          ] as const)
            touching.push({
              database,
              pause,
              guarantees,
              ...(await underLoad(world, pause, settings, { generator, writer })),
            });
      } finally {
        for (const world of worlds) await world.stop();
      }
    }
  } finally {
    generator.stop();
    writer.stop();
    await postgres.stop();
    for (const made of folders) rmSync(made, { recursive: true, force: true });
  }
  const { addresses, guarantees } = settings.guaranteed;
  return [
    {
      part: "guarantees",
      title: `Writes that none of ${guarantees} guarantees looks at`,
      note: `${addresses} addresses; a module is put into edges that no guarantee covers, over ${CONNECTIONS} connections, on a server with the guarantees and on one without, in turns; median of ${settings.rounds * amount(PAIRS)} pairs of ${settings.seconds * PART} s.`,
      columns: {
        database: "",
        without: "requests/s without",
        perSecond: "with",
        cpuWithout: "CPU µs without",
        cpu: "with",
        more: "with / without, CPU",
        goal: "goal",
        reached: "",
        errors: "errors",
      },
      rows: untouched,
    },
    {
      part: "guarantees",
      title: `Writes that ${OF_ONE} guarantees look at`,
      note: `One client after the other changes whom a route admits, beside ${MIX} of ${CONNECTIONS} connections that pause after each answer or never do, so that the machine is idle no more; ${settings.seconds * 2} s. The rows without guarantees are the floor. Held: the longest time of the event loop, all requests included, by the clock and in processor time; the goal is for the latter. Alone: the same writes with no load beside, and the processor time of all threads for each.`,
      columns: {
        database: "",
        pause: "pause ms",
        guarantees: "guarantees of the address",
        writes: "writes",
        p50: "p50 ms",
        p99: "p99 ms",
        goal: "goal",
        reached: "",
        beside: "beside: requests/s",
        besideP99: "p99 ms",
        held: "held ms",
        heldCpu: "in CPU ms",
        heldGoal: "goal",
        heldReached: "",
        alone: "alone: p50 ms",
        aloneP99: "p99 ms",
        aloneCpu: "CPU ms",
        errors: "errors",
      },
      rows: touching,
    },
  ];
}

async function besideEachOther(
  without: World,
  guaranteed: World,
  { rounds, warmUp, seconds }: Settings,
  generator: LoadGenerator,
): Promise<Row> {
  const pairs: { before: LoadResult; after: LoadResult; more: number }[] = [];
  let errors = 0;
  for (let round = 0; round < rounds * amount(PAIRS); round++) {
    const run = async ({ server, untouched }: World) => {
      const result = await generator.run({
        ...server,
        ...untouched,
        warmUp: warmUp * PART,
        seconds: seconds * PART,
        connections: CONNECTIONS,
      });
      errors += result.errors;
      return result;
    };
    // In turns, so that neither is always the first.
    const isTurned = round % 2 === 1;
    const first = await run(isTurned ? guaranteed : without);
    const second = await run(isTurned ? without : guaranteed);
    const [before, after] = isTurned ? [second, first] : [first, second];
    pairs.push({ before, after, more: (after.cpu ?? Number.NaN) / (before.cpu ?? Number.NaN) });
  }
  const { before, after } = medianBy(pairs, (pair) => pair.more);
  const more = ratio(after.cpu, before.cpu);
  return {
    without: before.perSecond,
    perSecond: after.perSecond,
    cpuWithout: before.cpu,
    cpu: after.cpu,
    more,
    goal: `≤ ${MORE}`,
    reached: more !== null && more <= MORE,
    errors,
  };
}

async function underLoad(
  { server, touching, held }: World,
  pause: number,
  { warmUp, seconds }: Settings,
  { generator, writer }: Readonly<Record<"generator" | "writer", LoadGenerator>>,
): Promise<Row> {
  const job = { ...server, warmUp, seconds: seconds * 2 };
  const run = () =>
    Promise.all([
      generator.run({ ...job, ...jobOf(server, MIX), connections: CONNECTIONS, pause }),
      writer.run({ ...job, ...touching, connections: 1 }),
    ]);
  await run(); // the threads that judge have to warm up, too
  const alone = await writer.run({ ...job, ...touching, connections: 1 });
  await held();
  const [beside, writes] = await run();
  const most = await held();
  return {
    writes: Math.round(writes.perSecond * seconds * 2),
    p50: writes.p50,
    p99: writes.p99,
    goal: `≤ ${P99} ms`,
    reached: writes.p99 <= P99,
    beside: beside.perSecond,
    besideP99: beside.p99,
    held: most.wall,
    heldCpu: most.cpu,
    heldGoal: `< ${HELD} ms`,
    heldReached: most.cpu < HELD,
    alone: alone.p50,
    aloneP99: alone.p99,
    aloneCpu: alone.cpu === null ? null : alone.cpu / 1000,
    errors: beside.errors + writes.errors + alone.errors,
  };
}

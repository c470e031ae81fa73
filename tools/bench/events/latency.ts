import { setTimeout as sleep } from "node:timers/promises";
import { definitionOf } from "@tunnelplane/sdk/contract";
import { Dispatcher } from "../../../server/src/events/delivery/dispatcher";
import type { DeliveryTarget, TargetOptions } from "../../../server/src/events/targets";
import { TargetThread } from "../../../server/src/events/targets/thread";
import type { ServerContext } from "../../../server/src/resources/transaction";
import { afterWrites } from "../../../server/src/start/server";
import type { Store } from "../../../server/src/storage/store";
import { type Row, ratio } from "../report/section";
import { amount } from "../settings";
import { DEAD } from "./services";
import { ADDRESS, type World } from "./world";

const EVERY_MS = 10;
const WARM_UP = 100;
const GOAL = 2;

export const LATENCY = {
  title: "From a change to its event's arrival",
  columns: {
    database: "database",
    aloneP50: "alone, p50 ms",
    alone: "alone, p99 ms",
    besideP50: "beside a dead one, p50 ms",
    beside: "beside a dead one, p99 ms",
    ratio: "p99 ×",
    goal: "goal",
    reached: "",
  },
  note: (changes: number) =>
    `${changes} changes, one every ${EVERY_MS} ms, each timed from the commit to the service's answer that accepts the event; to a healthy destination alone, and then beside one that accepts connections and never answers, with a backlog that grows.`,
} as const;

/** Measures the latency of events to a healthy destination, alone and beside a dead one. */
export async function measureLatency(world: World, changes: number, options: TargetOptions): Promise<Row> {
  const alone = await latencies(world, changes, options);
  await world.destination(DEAD);
  const beside = await latencies(world, changes, options);
  const slower = ratio(at(beside, 0.99), at(alone, 0.99));
  return {
    aloneP50: at(alone, 0.5),
    alone: at(alone, 0.99),
    besideP50: at(beside, 0.5),
    beside: at(beside, 0.99),
    ratio: slower,
    goal: `≤ ${GOAL}`,
    reached: slower !== null && slower <= GOAL,
  };
}

/** Milliseconds, sorted. */
async function latencies(world: World, changes: number, targetOptions: TargetOptions): Promise<number[]> {
  const committed = new Map<string, number>();
  const accepted = new Map<string, number>();
  const { core } = world;
  const thread = new TargetThread();
  const dispatcher = new Dispatcher(core, {
    targetOptions,
    address: () => ADDRESS,
    logger: console,
    openTarget: (target, options) => {
      const opened = thread.openTarget(target, options);
      return target.stream_service ? noting(opened, accepted) : opened;
    },
  });
  dispatcher.start();
  core.sequencer.start({ onMoved: () => dispatcher.wake(), logger: console });
  const resources = world.resources({ ...core, store: waking(core, dispatcher) });
  for (let made = 0; made < amount(WARM_UP) + changes; made++) {
    const next = sleep(EVERY_MS);
    const { id } = await resources.create(definitionOf("ip_policy"), {});
    if (made >= amount(WARM_UP)) committed.set(id, performance.now());
    await next;
  }
  while ([...committed.keys()].some((id) => !accepted.has(id))) await sleep(EVERY_MS);
  await core.sequencer.stop();
  await dispatcher.stop(0);
  return [...committed]
    .map(([id, time]) => Math.max(0, (accepted.get(id) as number) - time))
    .sort((a, b) => a - b);
}

/** Notes when each event was accepted. */
const noting = (target: DeliveryTarget, accepted: Map<string, number>): DeliveryTarget => ({
  ...target,
  async send(batch, signal) {
    const sent = await target.send(batch, signal);
    batch.forEach(({ key }, index) => {
      if (sent[index]?.ok) accepted.set(key, performance.now());
    });
    return sent;
  },
});

/** As the server does it. */
const waking = ({ store, sequencer }: ServerContext, dispatcher: Dispatcher): Store =>
  afterWrites(store, () => {
    sequencer.wake();
    dispatcher.wake();
  });

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.ceil(sorted.length * share) - 1] as number;

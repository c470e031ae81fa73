import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { REQUESTS } from "../../../server/src/events/delivery/batch";
import { Dispatcher } from "../../../server/src/events/delivery/dispatcher";
import { CONCURRENCY } from "../../../server/src/events/delivery/worker";
import { type Outgoing, openTarget, type TargetOptions } from "../../../server/src/events/targets";
import { medianBy, type Row, ratio } from "../report/section";
import type { Settings } from "../settings";
import { STREAM } from "./services";
import { ADDRESS, type World } from "./world";

const BATCH = 500; // the service's limit
const AT_ONCE = CONCURRENCY * REQUESTS; // the same as the dispatcher
const GOAL = 0.7;

export const THROUGHPUT = {
  title: "Delivering a backlog of events",
  columns: {
    database: "database",
    ours: "events/s",
    raw: "client alone, events/s",
    ratio: "×",
    goal: "goal",
    reached: "",
    oursCpu: "CPU µs/event",
    rawCpu: "client alone, CPU µs/event",
  },
  note: ({ events, rounds }: Settings) =>
    `${events} events, each of an object of its own, to one stream. One dispatcher, from the first look to the last delivery recorded, beside the same client in the same process that sends the same events to the same service in requests of ${BATCH}, ${AT_ONCE} at once as we do, and nothing else. Both warm up with as many events; then they take turns, in ${rounds} rounds; all figures are medians. Processor time is that of the sending process alone; the service, and PostgreSQL, run beside it.`,
} as const;

/**
 * Measures how fast a backlog of events is delivered, compared with the same client sending the same events
 * without a database.
 */
export async function measureThroughput(
  world: World,
  { events: count, rounds }: Settings,
  options: TargetOptions,
): Promise<Row> {
  await world.backlog(count);
  const events = await world.events();
  await withoutUs(events, options);
  const dispatcher = new Dispatcher(world.core, {
    targetOptions: options,
    address: () => ADDRESS,
    logger: console,
  });
  await dispatcher.deliverDue();
  const measured: { ours: Cost; raw: Cost }[] = [];
  for (let round = 0; round < rounds; round++) {
    await world.backlog(count);
    const ours = await costOf(() => dispatcher.deliverDue());
    measured.push({ ours, raw: await withoutUs(events, options) });
  }
  await dispatcher.stop(0);
  await expectDelivered(world, (1 + rounds) * count);
  const middle = (of: "ours" | "raw", figure: keyof Cost) =>
    medianBy(measured, (round) => round[of][figure])[of][figure];
  const perSecond = (of: "ours" | "raw") => count / middle(of, "seconds");
  const share = ({ ours, raw }: (typeof measured)[number]) => ratio(raw.seconds, ours.seconds) ?? 0;
  const speed = share(medianBy(measured, share));
  return {
    ours: perSecond("ours"),
    raw: perSecond("raw"),
    ratio: speed,
    goal: `≥ ${GOAL}`,
    reached: speed >= GOAL,
    oursCpu: (middle("ours", "cpu") / count) * 1e6,
    rawCpu: (middle("raw", "cpu") / count) * 1e6,
  };
}

async function withoutUs(events: readonly Outgoing[], options: TargetOptions): Promise<Cost> {
  const none = { delivery_service: null, log_service: null, monitoring_service: null, webhook: null };
  const { stream_ref, auth } = STREAM.stream_service;
  const target = openTarget(
    { ...none, stream_service: { stream_ref, auth: { role: null, ...auth } } },
    options,
  );
  const signal = new AbortController().signal;
  let next = 0;
  const sender = async () => {
    while (next < events.length) {
      const batch = events.slice(next, next + BATCH);
      next += BATCH;
      await target.send(batch, signal);
    }
  };
  const cost = await costOf(() => Promise.all(Array.from({ length: AT_ONCE }, sender)));
  target.close();
  return cost;
}

async function expectDelivered({ core }: World, count: number): Promise<void> {
  const { delivered } = await core.store.reader
    .selectFrom("delivery")
    .select(({ fn }) => fn.countAll<number>().as("delivered"))
    .where("status", "=", "delivered")
    .executeTakeFirstOrThrow();
  if (Number(delivered) !== count)
    throw new Error(`${core.store.label}: only ${delivered} of ${count} events were delivered`);
}

interface Cost {
  readonly seconds: number;
  /** Seconds of processor time of this process. */
  readonly cpu: number;
}

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  collectGarbage(); // do not measure the garbage of creating the events
  const [started, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { seconds: (performance.now() - started) / 1000, cpu: (user + system) / 1e6 };
}

import { CONCURRENCY } from "../../server/src/events/courier";
import { Dispatcher } from "../../server/src/events/dispatcher";
import { type Outgoing, openTarget, type TargetOptions } from "../../server/src/events/targets";
import { type Row, ratio } from "../report/section";
import { STREAM } from "./services";
import { ADDRESS, type World } from "./world";

const BATCH = 500; // as many as the service takes
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
  note: (events: number) =>
    `${events} events, each of an object of its own, to one stream. One dispatcher, from the first look to the last delivery recorded, beside the same client in the same process that sends the same events to the same service in batches of ${BATCH}, ${CONCURRENCY} at once as we do, and nothing else; which runs once before us and once after, and the mean counts. Both deliver as many events before that to warm up. Processor time is that of the sending process alone.`,
} as const;

/** How fast a backlog of events leaves, beside the same client that sends the same events without a database behind it. */
export async function measureThroughput(world: World, count: number, options: TargetOptions): Promise<Row> {
  const events = await world.backlog(count);
  await withoutUs(events, options);
  const before = await withoutUs(events, options);
  const dispatcher = new Dispatcher(world.core, { targetOptions: options, address: () => ADDRESS, logger: console });
  await dispatcher.deliverDue();
  await world.backlog(count);
  const ours = await costOf(() => dispatcher.deliverDue());
  await dispatcher.stop(0);
  await expectDelivered(world, 2 * count);
  const after = await withoutUs(events, options);
  const raw = { seconds: (before.seconds + after.seconds) / 2, cpu: (before.cpu + after.cpu) / 2 };
  const speed = ratio(count / ours.seconds, count / raw.seconds);
  return {
    ours: count / ours.seconds,
    raw: count / raw.seconds,
    ratio: speed,
    goal: `≥ ${GOAL}`,
    reached: speed !== null && speed >= GOAL,
    oursCpu: (ours.cpu / count) * 1e6,
    rawCpu: (raw.cpu / count) * 1e6,
  };
}

async function withoutUs(events: readonly Outgoing[], options: TargetOptions): Promise<Cost> {
  const none = { delivery_service: null, log_service: null, monitoring_service: null };
  const { stream_ref, auth } = STREAM.stream_service;
  const target = openTarget({ ...none, stream_service: { stream_ref, auth: { role: null, ...auth } } }, options);
  const signal = new AbortController().signal;
  let next = 0;
  const sender = async () => {
    while (next < events.length) {
      const batch = events.slice(next, next + BATCH);
      next += BATCH;
      await target.send(batch, signal);
    }
  };
  const cost = await costOf(() => Promise.all(Array.from({ length: CONCURRENCY }, sender)));
  target.close();
  return cost;
}

async function expectDelivered({ core }: World, count: number): Promise<void> {
  const batches = await core.store.reader.selectFrom("sent").select("sequences").execute();
  const delivered = batches.reduce((sum, { sequences }) => sum + JSON.parse(sequences).length, 0);
  if (delivered !== count) throw new Error(`${count} events were to be delivered, and ${delivered} were`);
}

interface Cost {
  readonly seconds: number;
  /** Seconds of processor time of this process. */
  readonly cpu: number;
}

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const [started, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { seconds: (performance.now() - started) / 1000, cpu: (user + system) / 1e6 };
}

import { type Store, statement } from "../../storage";
import type { Result } from "../delivery/batch";
import { isUnread, reading } from "../queue/cursors";
import { PENDING } from "../queue/deliveries";

/** Counts this server's delivery attempts and failures, by destination. */
export class AttemptCounts {
  readonly attempts = new Map<string, number>();
  readonly failures = new Map<string, number>();

  add(destination: string, results: readonly Result[]): void {
    const failed = results.filter(({ ok }) => !ok).length;
    this.attempts.set(destination, (this.attempts.get(destination) ?? 0) + results.length);
    this.failures.set(destination, (this.failures.get(destination) ?? 0) + failed);
  }
}

/** A metric with the label `destination`, independent of any metrics library. */
export interface DeliveryMetric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge";
  /** The value of each destination now. */
  collect(): Promise<ReadonlyMap<string, number>>;
}

interface Backlog {
  count: number;
  /** Time of the oldest of these events. */
  oldest: string;
}

/** Counts undelivered events by destination: unread, in flight, and waiting. */
async function backlogs({ reader }: Store): Promise<Map<string, Backlog>> {
  const found = new Map<string, Backlog>();
  const add = (destination: string, count: number, oldest: string) => {
    const before = found.get(destination);
    found.set(destination, {
      count: count + (before?.count ?? 0),
      oldest: before && before.oldest < oldest ? before.oldest : oldest,
    });
  };
  for (const rows of [await unread(reader, {}), await waiting(reader, {})])
    for (const { destination_id, count, oldest } of rows) add(destination_id, Number(count), oldest);
  return found;
}

const unread = statement<object, { destination_id: string; count: number; oldest: string }>((db) =>
  db
    .selectFrom(reading(db))
    .innerJoin("event", (join) => join.onRef("event.sequence", ">", "reading.position"))
    .where(isUnread)
    .select(({ fn }) => [
      "reading.destination_id",
      fn.countAll<number>().as("count"),
      fn.min("event.created_at").as("oldest"),
    ])
    .groupBy("reading.destination_id"),
);

const waiting = statement<object, { destination_id: string; count: number; oldest: string }>((db) =>
  db
    .selectFrom("delivery")
    .innerJoin("event", "event.sequence", "delivery.sequence")
    .where("delivery.status", "=", PENDING)
    .select(({ fn }) => [
      "delivery.destination_id",
      fn.countAll<number>().as("count"),
      fn.min("event.created_at").as("oldest"),
    ])
    .groupBy("delivery.destination_id"),
);

const mapped = <T>(from: ReadonlyMap<string, Backlog>, value: (backlog: Backlog) => T): Map<string, T> =>
  new Map([...from].map(([destination, backlog]) => [destination, value(backlog)]));

/** The metrics of deliveries. Backlogs come from the database, so every server reports the same. */
export function deliveryMetrics(store: Store, counts: AttemptCounts): DeliveryMetric[] {
  // Two metrics use the backlog and are collected at the same time: count it once.
  let counting: Promise<Map<string, Backlog>> | undefined;
  const backlog = () => {
    counting ??= backlogs(store).finally(() => {
      counting = undefined;
    });
    return counting;
  };
  return [
    {
      name: "tunnelplane_event_backlog",
      help: "Number of undelivered events.",
      type: "gauge",
      collect: async () => mapped(await backlog(), ({ count }) => count),
    },
    {
      name: "tunnelplane_event_oldest_seconds",
      help: "Age of the oldest undelivered event, in seconds.",
      type: "gauge",
      collect: async () => mapped(await backlog(), ({ oldest }) => (Date.now() - Date.parse(oldest)) / 1000),
    },
    {
      name: "tunnelplane_event_dead_letters",
      help: "Number of dead letters; a replay sends them again.",
      type: "gauge",
      collect: async () => {
        const rows = await store.reader
          .selectFrom("delivery")
          .select(({ fn }) => ["destination_id", fn.countAll<number>().as("count")])
          .where("status", "=", "dead")
          .groupBy("destination_id")
          .execute();
        return new Map(rows.map(({ destination_id, count }) => [destination_id, Number(count)]));
      },
    },
    {
      name: "tunnelplane_event_attempts_total",
      help: "Number of delivery attempts by this server.",
      type: "counter",
      collect: async () => counts.attempts,
    },
    {
      name: "tunnelplane_event_failures_total",
      help: "Number of failed delivery attempts of this server.",
      type: "counter",
      collect: async () => counts.failures,
    },
  ];
}

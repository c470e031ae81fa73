import type { Store } from "../storage/store";
import type { Result } from "./batches";

/** How many deliveries this server tried, and how many of them failed, by destination. */
export class AttemptCounts {
  readonly attempts = new Map<string, number>();
  readonly failures = new Map<string, number>();

  add(destination: string, results: readonly Result[]): void {
    const failed = results.filter(({ ok }) => !ok).length;
    this.attempts.set(destination, (this.attempts.get(destination) ?? 0) + results.length);
    this.failures.set(destination, (this.failures.get(destination) ?? 0) + failed);
  }
}

/** A metric with the label `destination`, in no library's form. */
export interface DeliveryMetric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge";
  /** The value of each destination now. */
  collect(): Promise<ReadonlyMap<string, number>>;
}

/** What an operator watches of deliveries. Backlogs are those of the database, so every server tells the same. */
export function deliveryMetrics({ reader }: Store, counts: AttemptCounts): DeliveryMetric[] {
  const countOf = async (status: "pending" | "dead") => {
    const rows = await reader
      .selectFrom("delivery")
      .select(({ fn }) => ["destination_id", fn.countAll<number>().as("count")])
      .where("status", "=", status)
      .groupBy("destination_id")
      .execute();
    return new Map(rows.map(({ destination_id, count }) => [destination_id, Number(count)]));
  };
  return [
    {
      name: "tunnelplane_event_backlog",
      help: "How many events wait for their delivery.",
      type: "gauge",
      collect: () => countOf("pending"),
    },
    {
      name: "tunnelplane_event_oldest_seconds",
      help: "How long ago the oldest event happened that is not delivered yet, in seconds.",
      type: "gauge",
      collect: async () => {
        const rows = await reader
          .selectFrom("delivery")
          .innerJoin("event", "event.sequence", "delivery.sequence")
          .select(({ fn }) => ["destination_id", fn.min("event.created_at").as("oldest")])
          .where("status", "=", "pending")
          .groupBy("destination_id")
          .execute();
        return new Map(rows.map(({ destination_id, oldest }) => [destination_id, (Date.now() - Date.parse(oldest)) / 1000]));
      },
    },
    {
      name: "tunnelplane_event_dead_letters",
      help: "How many events were given up; a replay sends them again.",
      type: "gauge",
      collect: () => countOf("dead"),
    },
    {
      name: "tunnelplane_event_attempts_total",
      help: "How often this server tried to deliver an event.",
      type: "counter",
      collect: async () => counts.attempts,
    },
    {
      name: "tunnelplane_event_failures_total",
      help: "How often an event was not accepted.",
      type: "counter",
      collect: async () => counts.failures,
    },
  ];
}

import type { Transaction } from "../../storage";
import { grouped, newId } from "../../util";
import {
  type Batch,
  type LeasedBatch,
  type LeaseOptions,
  leasable,
  leaseEnd,
  mostOf,
  type Outcome,
  outcomesOf,
  requestsOf,
  type SentBatch,
  sameOutcomes,
} from "../delivery/batch";
import { oldestOfAll, oldestOfEach, recordAttempt } from "./deliveries";
import { closeQueues, leasedQueues, lockDueQueues, moveLeases, setQueues } from "./objectQueues";

/** Leases events from object queues that are due. */
export async function leaseFromQueues(
  transaction: Transaction,
  options: LeaseOptions,
): Promise<LeasedBatch | undefined> {
  const { destination, target, now } = options;
  const most = mostOf(target);
  const queues = await lockDueQueues(transaction, { destination, now: now.toISOString(), most });
  if (queues.length === 0) return undefined;
  const objects = JSON.stringify(queues.map((queue) => queue.object_id));
  const waiting = await (target.atomic ? oldestOfAll : oldestOfEach)(transaction, {
    destination,
    objects,
    most,
  });
  if (waiting.length === 0) {
    await closeQueues(transaction, { destination, objects });
    return undefined;
  }
  const requests = requestsOf(options, waiting);
  const deliveries = waiting.slice(0, requests.flat().length).map(leasable);
  const taken = { destination, lease: newId("lease") };
  const tried = JSON.stringify([...new Set(deliveries.map((delivery) => delivery.object_id))]);
  await setQueues(transaction, { ...taken, objects: tried, due: leaseEnd(now) });
  const more = queues.length === most || deliveries.length < waiting.length;
  return { batch: { ...taken, from: "queues", deliveries, more }, requests };
}

export async function recordFromQueues(
  transaction: Transaction,
  sent: SentBatch,
  now: Date,
  random: number,
): Promise<void> {
  const { destination, lease } = sent.batch;
  const queues = await leasedQueues(transaction, { lease });
  if (queues.length === 0) return;
  const held = new Set(queues.map((queue) => queue.object_id));
  const at = now.toISOString();
  const outcomes = outcomesOf(sent, now, random).filter(({ delivery }) => held.has(delivery.object_id));
  for (const same of sameOutcomes(outcomes)) {
    await recordAttempt(transaction, {
      destination,
      at,
      ...same,
      delivered_at: same.status === "delivered" ? at : null,
    });
  }
  const closed = await closeQueues(transaction, { destination, objects: JSON.stringify([...held]) });
  if (closed < held.size) await reschedule(transaction, destination, outcomes);
}

/** Sets when the next event of each object is due. After a failure the whole object waits. */
export async function reschedule(
  transaction: Transaction,
  destination: string,
  outcomes: readonly Outcome[],
): Promise<void> {
  const latest = new Map<string, string>();
  for (const { delivery, due } of outcomes) {
    if (due > (latest.get(delivery.object_id) ?? "")) latest.set(delivery.object_id, due);
  }
  for (const [due, same] of grouped(latest, ([, time]) => time)) {
    await setQueues(transaction, {
      destination,
      objects: JSON.stringify(same.map(([object]) => object)),
      lease: null,
      due,
    });
  }
}

export async function releaseToQueues(transaction: Transaction, { lease }: Batch, now: Date): Promise<void> {
  await moveLeases(transaction, { before: lease, lease: null, due: now.toISOString() });
}

import { type ExpressionBuilder, type SqlBool, sql } from "kysely";
import { change, type Database, isListed, statement, type Transaction, valuesOf } from "../../storage";
import { type Holder, isRouted, lockCursor } from "./cursors";
import { PENDING } from "./deliveries";

// Lock the destination's cursor before you change its queues (table `lane`), so that no worker fills a queue
// that another closes.

/** Queues of one destination, by their objects (JSON). */
interface Named {
  readonly destination: string;
  readonly objects: string;
}

/** Locks the queues that are due, longest due first; skips those that another transaction has locked. */
export const lockDueQueues = statement<
  { destination: string; now: string; most: number },
  { object_id: string }
>((db, parameter) =>
  db
    .selectFrom("lane")
    .select("object_id")
    .where("destination_id", "=", parameter("destination"))
    .where("due_at", "<=", parameter("now"))
    .orderBy("due_at")
    // Hides the limit from PostgreSQL's planner. If it expects fewer queues than the limit, it reads and
    // sorts them all.
    .limit(sql<number>`(select cast(${parameter("most")} as integer))`)
    .forUpdate()
    .skipLocked(),
);

/** The queues that a lease still holds. */
export const leasedQueues = statement<{ lease: string }, { object_id: string }>((db, parameter) =>
  db.selectFrom("lane").select("object_id").where("lease", "=", parameter("lease")),
);

/** Which of these objects have a queue. */
export const queuesAmong = statement<Named, { object_id: string }>((db, parameter) =>
  db
    .selectFrom("lane")
    .select("object_id")
    .where("destination_id", "=", parameter("destination"))
    .where(isListed(db, "object_id", parameter("objects"))),
);

/**
 * Any one queue of a destination. Usually there is none, and this check is cheaper than one with a list of
 * objects.
 */
export const someQueue = statement<{ destination: string }, { object_id: string }>((db, parameter) =>
  db
    .selectFrom("lane")
    .select("object_id")
    .where("destination_id", "=", parameter("destination"))
    .limit(sql.lit(1)),
);

/** Moves the queues of one lease to another, or frees them. */
export const moveLeases = change<{ before: string; lease: string | null; due: string }>((db, parameter) =>
  db
    .updateTable("lane")
    .set({ lease: parameter("lease"), due_at: parameter("due") })
    .where("lease", "=", parameter("before")),
);

/** Sets the lease and the due time of those of these queues that are still open. */
export const setQueues = change<Named & { lease: string | null; due: string }>((db, parameter) =>
  db
    .updateTable("lane")
    .set({ lease: parameter("lease"), due_at: parameter("due") })
    .where("destination_id", "=", parameter("destination"))
    .where(isListed(db, "object_id", parameter("objects"))),
);

/** Closes those of these queues that are empty, and returns how many. */
export const closeQueues = change<Named>((db, parameter) =>
  db
    .deleteFrom("lane")
    .where("destination_id", "=", parameter("destination"))
    .where(isListed(db, "object_id", parameter("objects")))
    .where(isEmpty),
);

/**
 * Whether a queue is empty. A look-up for each queue: for an anti-join PostgreSQL would read all deliveries.
 */
const isEmpty = ({ eb, selectFrom }: ExpressionBuilder<Database, "lane">) =>
  eb(
    selectFrom("delivery")
      .select("delivery.sequence")
      .whereRef("delivery.destination_id", "=", "lane.destination_id")
      .whereRef("delivery.object_id", "=", "lane.object_id")
      .where("delivery.status", "=", PENDING)
      .limit(sql.lit(1)),
    "is",
    null,
  );

/**
 * Opens object queues behind batches with events of the same objects, so that nothing of an object is sent
 * while a batch has it. Leaves open queues as they are, and skips objects that are in no batch.
 */
export async function openQueuesBehind(
  transaction: Transaction,
  destination: string,
  behind: Iterable<readonly [object: string, holder: Holder | undefined]>,
): Promise<void> {
  const byHolder = new Map<Holder, Set<string>>();
  for (const [object, holder] of behind) {
    if (holder) byHolder.set(holder, (byHolder.get(holder) ?? new Set()).add(object));
  }
  for (const [{ id, leased_until }, objects] of byHolder) {
    await openLeased(transaction, {
      destination,
      objects: JSON.stringify([...objects]),
      lease: id,
      due: leased_until,
    });
  }
}

const openLeased = statement<Named & { lease: string; due: string }, unknown>((db, parameter) => {
  const typed = (name: "destination" | "due" | "lease") => sql<string>`cast(${parameter(name)} as text)`;
  return db
    .insertInto("lane")
    .columns(["destination_id", "object_id", "due_at", "lease"])
    .expression(
      db
        .selectFrom(valuesOf(db, parameter("objects")).as("object"))
        .select([
          typed("destination").as("destination_id"),
          "object.value",
          typed("due").as("due_at"),
          typed("lease").as("lease"),
        ])
        .where(sql<SqlBool>`true`), // without it, SQLite parses "on conflict" as part of the select
    )
    .onConflict((conflict) => conflict.columns(["destination_id", "object_id"]).doNothing());
});

/**
 * Opens a queue for each of these deliveries (sequences as JSON), due now. Existing queues stay as they are.
 */
export const openQueues = statement<{ destination: string; sequences: string; now: string }, unknown>(
  (db, parameter) =>
    db
      .insertInto("lane")
      .columns(["destination_id", "object_id", "due_at"])
      .expression((insert) =>
        insert
          .selectFrom("delivery")
          .select(({ val }) => [
            "delivery.destination_id",
            "delivery.object_id",
            val(parameter("now")).as("due_at"),
          ])
          .distinct()
          .where("delivery.destination_id", "=", parameter("destination"))
          .where(isListed(db, "delivery.sequence", parameter("sequences"), "bigint")),
      )
      .onConflict((conflict) => conflict.columns(["destination_id", "object_id"]).doNothing()),
);

/**
 * Drops waiting deliveries of these types to a destination, except those that another subscription still
 * wants.
 */
export async function dropPending(
  transaction: Transaction,
  destination: string,
  types: readonly string[],
): Promise<void> {
  await lockCursor(transaction, destination);
  await transaction
    .deleteFrom("delivery")
    .where("destination_id", "=", destination)
    .where("status", "=", "pending")
    .where("event_type", "in", types)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("event")
            .select("event.id")
            .whereRef("event.sequence", "=", "delivery.sequence")
            .where(isRouted(destination)),
        ),
      ),
    )
    .execute();
  await transaction.deleteFrom("lane").where("destination_id", "=", destination).where(isEmpty).execute();
}

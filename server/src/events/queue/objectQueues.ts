import { type ExpressionBuilder, type Kysely, type SqlBool, sql } from "kysely";
import { change, type Database, isListed, statement, valuesOf } from "../../storage";
import { type Holder, lockCursor } from "./cursors";
import { PENDING } from "./deliveries";

// Whoever changes lanes has locked the feed of their destination, so that nobody fills a lane that somebody else is about to close.

/** Lanes of one destination, by their objects, as JSON. */
interface Named {
  readonly destination: string;
  readonly objects: string;
}

/** Locks the lanes that are due, the longest due first, except those that somebody else has locked. */
export const lockDueQueues = statement<{ destination: string; now: string; most: number }, { object_id: string }>((db, parameter) =>
  db
    .selectFrom("lane")
    .select("object_id")
    .where("destination_id", "=", parameter("destination"))
    .where("due_at", "<=", parameter("now"))
    .orderBy("due_at")
    // Hidden from PostgreSQL's planner, which else expects fewer lanes than that, and reads and sorts them all.
    .limit(sql<number>`(select cast(${parameter("most")} as integer))`)
    .forUpdate()
    .skipLocked(),
);

/** The lanes that a lease still holds. */
export const leasedQueues = statement<{ lease: string }, { object_id: string }>((db, parameter) =>
  db.selectFrom("lane").select("object_id").where("lease", "=", parameter("lease")),
);

/** Which of these objects have lanes. */
export const queuesAmong = statement<Named, { object_id: string }>((db, parameter) =>
  db
    .selectFrom("lane")
    .select("object_id")
    .where("destination_id", "=", parameter("destination"))
    .where(isListed(db, "object_id", parameter("objects"))),
);

/** One of a destination's lanes, if it has any: mostly there is none, and a look for one costs less than a list of objects. */
export const someQueue = statement<{ destination: string }, { object_id: string }>((db, parameter) =>
  db.selectFrom("lane").select("object_id").where("destination_id", "=", parameter("destination")).limit(sql.lit(1)),
);

/** Hands the lanes that one lease holds to another, or lets them go. */
export const moveLeases = change<{ before: string; lease: string | null; due: string }>((db, parameter) =>
  db
    .updateTable("lane")
    .set({ lease: parameter("lease"), due_at: parameter("due") })
    .where("lease", "=", parameter("before")),
);

/** Says who has those of these lanes that are still open, if anybody has, and when their next events may be tried. */
export const setQueues = change<Named & { lease: string | null; due: string }>((db, parameter) =>
  db
    .updateTable("lane")
    .set({ lease: parameter("lease"), due_at: parameter("due") })
    .where("destination_id", "=", parameter("destination"))
    .where(isListed(db, "object_id", parameter("objects"))),
);

/** Closes those of these lanes that have nothing left to deliver, and says how many. */
export const closeQueues = change<Named>((db, parameter) =>
  db
    .deleteFrom("lane")
    .where("destination_id", "=", parameter("destination"))
    .where(isListed(db, "object_id", parameter("objects")))
    .where(isEmpty),
);

/** Whether nothing waits in a lane. Looked up lane by lane: an anti-join PostgreSQL would make by reading all deliveries. */
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
 * Opens lanes that wait for the batches which have events of their objects; those that are open stay as they are. So nothing of an
 * object goes while a batch has it. Objects that no batch has are passed over.
 */
export async function openQueuesBehind(
  transaction: Kysely<Database>,
  destination: string,
  behind: Iterable<readonly [object: string, holder: Holder | undefined]>,
): Promise<void> {
  const byHolder = new Map<Holder, Set<string>>();
  for (const [object, holder] of behind) {
    if (holder) byHolder.set(holder, (byHolder.get(holder) ?? new Set()).add(object));
  }
  for (const [{ id, leased_until }, objects] of byHolder) {
    await openLeased(transaction, { destination, objects: JSON.stringify([...objects]), lease: id, due: leased_until });
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
        .select([typed("destination").as("destination_id"), "object.value", typed("due").as("due_at"), typed("lease").as("lease")])
        .where(sql<SqlBool>`true`), // without it SQLite takes what follows for a part of the select
    )
    .onConflict((conflict) => conflict.columns(["destination_id", "object_id"]).doNothing());
});

/** Sees to it that each of these deliveries has a lane, which is due now unless it is there already; the sequences are JSON. */
export const openQueues = statement<{ destination: string; sequences: string; now: string }, unknown>((db, parameter) =>
  db
    .insertInto("lane")
    .columns(["destination_id", "object_id", "due_at"])
    .expression((insert) =>
      insert
        .selectFrom("delivery")
        .select(({ val }) => ["delivery.destination_id", "delivery.object_id", val(parameter("now")).as("due_at")])
        .distinct()
        .where("delivery.destination_id", "=", parameter("destination"))
        .where(isListed(db, "delivery.sequence", parameter("sequences"), "bigint")),
    )
    .onConflict((conflict) => conflict.columns(["destination_id", "object_id"]).doNothing()),
);

/** Gives up what waits for a destination and is of these types, unless some subscription still asks for it. */
export async function dropPending(transaction: Kysely<Database>, destination: string, types: readonly string[]): Promise<void> {
  await lockCursor(transaction, destination);
  await transaction
    .deleteFrom("delivery")
    .where("destination_id", "=", destination)
    .where("status", "=", "pending")
    .where("event_type", "in", types)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("route")
            .select("route.subscription_id")
            .whereRef("route.destination_id", "=", "delivery.destination_id")
            .whereRef("route.event_type", "=", "delivery.event_type")
            .whereRef("route.since", "<", "delivery.sequence"),
        ),
      ),
    )
    .execute();
  await transaction.deleteFrom("lane").where("destination_id", "=", destination).where(isEmpty).execute();
}

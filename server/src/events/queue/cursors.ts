import { type ExpressionBuilder, type Kysely, sql } from "kysely";
import {
  type BatchRow,
  change,
  type Database,
  insertion,
  isListed,
  statement,
  type Transaction,
} from "../../storage";
import type { Stored } from "../delivery/batch";

/**
 * Events searched at once for those that a destination wants; takes some milliseconds. PostgreSQL has no
 * statistics of new rows; the upper end makes it use the index.
 */
export const WINDOW = 5000;

// Unwanted events that every look searches again before the cursor moves past them.
const LAG = 50;

/** The position of a destination, and the end of the event log. */
export interface Cursor {
  readonly position: number;
  readonly head: number;
}

/**
 * Until the transaction ends, no other worker can lease or record for this destination. Undefined without
 * such a destination.
 */
export async function lockCursor(transaction: Transaction, destination: string): Promise<Cursor | undefined> {
  const [cursor] = await lockedCursor(transaction, { destination });
  return cursor;
}

const lockedCursor = statement<{ destination: string }, Cursor>((db, parameter) =>
  db
    .selectFrom("feed")
    .select("position")
    .select(({ selectFrom }) =>
      selectFrom("audit_head").select("audit_head.sequence").$asScalar().$notNull().as("head"),
    )
    .where("destination_id", "=", parameter("destination"))
    .forUpdate(),
);

/** Moves the cursor: everything up to this position was taken. */
export const moveCursor = change<{ destination: string; position: number }>((db, parameter) =>
  db
    .updateTable("feed")
    .set({ position: parameter("position") })
    .where("destination_id", "=", parameter("destination")),
);

/** Whether a subscription asks for an event. */
export const isRouted = (destination: unknown) => (expressions: ExpressionBuilder<Database, "event">) =>
  expressions.exists(
    expressions
      .selectFrom("route")
      .select("route.subscription_id")
      .whereRef("route.event_type", "=", "event.type")
      .whereRef("route.project_id", "=", "event.project_id")
      .where("route.destination_id", "=", destination as string)
      .whereRef("route.since", "<", "event.sequence"),
  );

/** The same for a joined row of `feed`. */
export const isRoutedToCursor = (expressions: unknown) =>
  isRouted(sql.ref("feed.destination_id"))(expressions as ExpressionBuilder<Database, "event">);

const COLUMNS = [
  "event.sequence",
  "event.object_id",
  "event.id",
  "event.created_at",
  "event.payload",
] as const;

/** The range to search for new events: after `position`, up to `until`, `most` at most. */
export interface Window {
  readonly destination: string;
  readonly position: number;
  readonly until: number;
  readonly most: number;
}

/** New events, in order. */
export const nextEvents = statement<Window, Stored>((db, parameter) =>
  db
    .selectFrom("event")
    .select(COLUMNS)
    .where("event.sequence", ">", parameter("position"))
    .where("event.sequence", "<=", parameter("until"))
    .where(isRouted(parameter("destination")))
    .orderBy("event.sequence")
    .limit(parameter("most")),
);

/** Which of these events are still wanted, in order; the sequences are JSON. */
export const wantedOf = statement<{ destination: string; sequences: string }, Stored>((db, parameter) =>
  db
    .selectFrom("event")
    .select(COLUMNS)
    .where(isListed(db, "event.sequence", parameter("sequences"), "bigint"))
    .where(isRouted(parameter("destination")))
    .orderBy("event.sequence"),
);

/**
 * A batch stores only the ends of its objects' ids. Ids are random, so that is enough: if two ends are equal
 * (one pair in 2 × 10^14), one object waits for the other.
 */
const endOf = (object: string): string => object.slice(-8);

/** The ends of these events' object ids, as JSON. */
export const objectEndsOf = (events: readonly { readonly object_id: string }[]): string =>
  JSON.stringify(events.map((event) => endOf(event.object_id)));

/** A batch as other workers see it. */
export type OtherBatch = Pick<BatchRow, "id" | "leased_until" | "object_ends">;

/** All batches of a destination, oldest first: those under way, and abandoned ones. */
export const batchesOf = statement<{ destination: string }, OtherBatch>((db, parameter) =>
  db
    .selectFrom("batch")
    .select(["id", "leased_until", "object_ends"])
    .where("destination_id", "=", parameter("destination"))
    .orderBy("id"),
);

/** The batch that has an object's event under way. */
export type Holder = Pick<BatchRow, "id" | "leased_until">;

/** Finds the batch that holds an event of an object, if any. */
export function holdersIn(batches: readonly OtherBatch[]): (object: string) => Holder | undefined {
  const held = new Map<string, Holder>();
  for (const batch of batches) {
    for (const end of JSON.parse(batch.object_ends)) held.set(end, batch);
  }
  return (object) => held.get(endOf(object));
}

/** The events of a batch, as JSON. */
export const sequencesIn = statement<{ id: string }, Pick<BatchRow, "sequences">>((db, parameter) =>
  db.selectFrom("batch").select("sequences").where("id", "=", parameter("id")),
);

export const insertBatch = insertion("batch", [
  "id",
  "destination_id",
  "sequences",
  "object_ends",
  "leased_until",
]);

/** Gives a batch a new id, so that its former worker can no longer record it. */
export const takeOver = change<{ before: string } & Omit<BatchRow, "destination_id" | "object_ends">>(
  (db, parameter) =>
    db
      .updateTable("batch")
      .set({
        id: parameter("id"),
        sequences: parameter("sequences"),
        leased_until: parameter("leased_until"),
      })
      .where("id", "=", parameter("before")),
);

export const expireBatch = change<{ id: string; now: string }>((db, parameter) =>
  db
    .updateTable("batch")
    .set({ leased_until: parameter("now") })
    .where("id", "=", parameter("id")),
);

/** Returns how many rows it deleted. */
export const removeBatch = change<{ id: string }>((db, parameter) =>
  db.deleteFrom("batch").where("id", "=", parameter("id")),
);

export const insertSent = insertion("sent", ["destination_id", "first", "sequences", "delivered_at"]);

/**
 * Destinations with work: an abandoned batch, a due object queue, new events, or many unwanted events to
 * skip.
 */
export const dueDestinations = statement<{ now: string }, { id: string }>((db, parameter) =>
  db
    .selectFrom("feed")
    .innerJoin("audit_head", (join) => join.onTrue())
    .select("feed.destination_id as id")
    .where((expressions) => {
      const { or, exists, selectFrom, eb } = expressions;
      // Not "exists": PostgreSQL may evaluate that for all rows of feed at once and read everything that is
      // due.
      return or([
        eb("audit_head.sequence", ">", eb("feed.position", "+", sql.lit(LAG))),
        eb(queueDue(db, "<=", parameter("now")), "is not", null),
        eb(leaseEnding(db, "<=", parameter("now")), "is not", null),
        exists(
          selectFrom("event")
            .select("event.id")
            .where("event.sequence", ">", eb.ref("feed.position"))
            .where("event.sequence", "<=", eb("feed.position", "+", sql.lit(WINDOW)))
            .where(isRoutedToCursor),
        ),
      ]);
    }),
);

/** An object queue of the destination that is due before or after a time. */
export const queueDue = (db: Kysely<Database>, side: "<=" | ">", time: string) =>
  db
    .selectFrom("lane")
    .select("lane.object_id")
    .whereRef("lane.destination_id", "=", sql.ref("feed.destination_id"))
    .where("lane.due_at", side, time)
    .limit(sql.lit(1));

/** A batch of the destination whose lease ends before or after a time. */
export const leaseEnding = (db: Kysely<Database>, side: "<=" | ">", time: string) =>
  db
    .selectFrom("batch")
    .select("batch.id")
    .whereRef("batch.destination_id", "=", sql.ref("feed.destination_id"))
    .where("batch.leased_until", side, time)
    .limit(sql.lit(1));

import { type ExpressionBuilder, type Kysely, type SqlBool, sql } from "kysely";
import { change, type Database, lockName, statement, type Transaction } from "../../storage";
import type { Stored } from "../delivery/batch";
import { PENDING } from "./deliveries";

/**
 * Events searched at once for those that a destination wants; takes some milliseconds. PostgreSQL has no
 * statistics of new rows; the upper end makes it use the index.
 */
export const WINDOW = 5000;

// Unwanted events that every look searches again before the cursors move past them.
const LAG = 50;

/**
 * Until the transaction ends, no other one leases, records, drops or replays deliveries to this destination.
 */
export const lockDestination = (transaction: Transaction, destination: string): Promise<void> =>
  lockName(transaction, `deliveries to ${destination}`);

/** How far the subscriptions of a destination have been read, and where the event log ends. */
export interface Position {
  /** Null without a subscription. */
  readonly position: number | null;
  readonly head: number;
}

export const positionOf = statement<{ destination: string }, Position>((db, parameter) =>
  db
    .selectFrom("audit_head")
    .select("audit_head.sequence as head")
    .select(({ selectFrom }) =>
      selectFrom("subscription_cursor")
        .select(({ fn }) => fn.min("position").as("position"))
        .where("destination_id", "=", parameter("destination"))
        .as("position"),
    ),
);

/** Everything up to this position was read. */
export const moveCursors = change<{ destination: string; position: number }>((db, parameter) =>
  db
    .updateTable("subscription_cursor")
    .set({ position: parameter("position") })
    .where("destination_id", "=", parameter("destination"))
    .where("position", "<", parameter("position")),
);

/** Whether a subscription of a destination asks for an event: any (`since`), or an unread (`position`). */
export const isWanted =
  (destination: unknown, after: "since" | "position") =>
  // Any query that reads `event`, whatever else it reads.
  (expressions: unknown) => {
    const { exists, selectFrom } = expressions as ExpressionBuilder<Database, "event">;
    return exists(
      selectFrom("subscription_cursor as wanting")
        .select("wanting.subscription_id")
        .whereRef("wanting.event_type", "=", "event.type")
        .whereRef("wanting.project_id", "=", "event.project_id")
        .where("wanting.destination_id", "=", destination as string)
        .whereRef(`wanting.${after}`, "<", "event.sequence"),
    );
  };

/** The destinations with subscriptions, as rows of `reading` with their positions. */
export const reading = (db: Kysely<Database>) =>
  db
    .selectFrom("subscription_cursor")
    .select(({ fn }) => ["destination_id", fn.min("position").as("position")])
    .groupBy("destination_id")
    .as("reading");

/** Whether an event is unread and wanted by the row of {@link reading}. */
export const isUnread = isWanted(sql.ref("reading.destination_id"), "position");

/** A new event, and whether another of its object waits for this destination or is in flight. */
export type NewEvent = Stored & { readonly waits: SqlBool };

/** The range to search for new events: after `position`, up to `until`, `most` at most. */
export interface Window {
  readonly destination: string;
  readonly position: number;
  readonly until: number;
  readonly most: number;
}

/** New events, in order. */
export const newEvents = statement<Window, NewEvent>((db, parameter) =>
  db
    .selectFrom("event")
    .select(["event.sequence", "event.object_id", "event.id", "event.created_at", "event.payload"])
    .select(({ eb, selectFrom }) =>
      eb(
        selectFrom("delivery")
          .select("delivery.sequence")
          .where("delivery.destination_id", "=", parameter("destination"))
          .whereRef("delivery.object_id", "=", "event.object_id")
          .where("delivery.status", "=", PENDING)
          .limit(sql.lit(1)),
        "is not",
        null,
      ).as("waits"),
    )
    .where("event.sequence", ">", parameter("position"))
    .where("event.sequence", "<=", parameter("until"))
    .where(isWanted(parameter("destination"), "position"))
    .orderBy("event.sequence")
    .limit(parameter("most")),
);

/** Destinations with deliveries that are due before or after a time. */
const withDue = (db: Kysely<Database>, side: "<=" | ">", time: string) =>
  db
    .selectFrom("resource")
    .select("resource.id")
    .where("resource.kind", "=", sql.lit("event_destination"))
    .where(({ eb, selectFrom }) =>
      // Not "exists": PostgreSQL may evaluate that for all destinations at once, and read all that is due.
      eb(
        selectFrom("delivery")
          .select("delivery.sequence")
          .whereRef("delivery.destination_id", "=", "resource.id")
          .where("delivery.due_at", side, time)
          .limit(sql.lit(1)),
        "is not",
        null,
      ),
    );

/** Destinations with work: due deliveries, new events, or many unwanted events to skip. */
export const dueDestinations = statement<{ now: string }, { id: string }>((db, parameter) =>
  withDue(db, "<=", parameter("now")).union(
    db
      .selectFrom(reading(db))
      .innerJoin("audit_head", (join) => join.onTrue())
      .select("reading.destination_id as id")
      .where(({ or, exists, selectFrom, eb }) =>
        or([
          eb("audit_head.sequence", ">", eb("reading.position", "+", sql.lit(LAG))),
          exists(
            selectFrom("event")
              .select("event.id")
              .where("event.sequence", ">", eb.ref("reading.position"))
              .where("event.sequence", "<=", eb("reading.position", "+", sql.lit(WINDOW)))
              .where(isUnread),
          ),
        ]),
      ),
  ),
);

/** Destinations with deliveries that are due after a time. */
export const destinationsDueAfter = statement<{ time: string }, { id: string }>((db, parameter) =>
  withDue(db, ">", parameter("time")),
);

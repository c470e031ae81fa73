import { type ExpressionBuilder, type Kysely, sql } from "kysely";
import { type BatchRow, change, type Database, insertion, isListed, statement } from "../../storage";
import type { Stored } from "../delivery/batch";

/**
 * How many events are looked through at once for those that a destination wants: some milliseconds. An upper end also says to
 * PostgreSQL, which has no statistics of new rows, that it gets few of them by an index.
 */
export const WINDOW = 5000;

// How many events that nobody asked for are looked through again with every look, before a destination is said to have passed them.
const LAG = 50;

/** How far a destination is, and where the log of events ends. */
export interface Cursor {
  readonly position: number;
  readonly head: number;
}

/** Keeps everybody else from taking or recording events of a destination until the transaction ends; undefined when there is none. */
export async function lockCursor(transaction: Kysely<Database>, destination: string): Promise<Cursor | undefined> {
  const [feed] = await lockedCursor(transaction, { destination });
  return feed;
}

const lockedCursor = statement<{ destination: string }, Cursor>((db, parameter) =>
  db
    .selectFrom("feed")
    .select("position")
    .select(({ selectFrom }) => selectFrom("audit_head").select("audit_head.sequence").$asScalar().$notNull().as("head"))
    .where("destination_id", "=", parameter("destination"))
    .forUpdate(),
);

/** Says that everything up to this was taken. */
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
      .where("route.destination_id", "=", destination as string)
      .whereRef("route.since", "<", "event.sequence"),
  );

/** The same for the destination of a feed that is joined. */
export const isRoutedToCursor = (expressions: unknown) =>
  isRouted(sql.ref("feed.destination_id"))(expressions as ExpressionBuilder<Database, "event">);

const COLUMNS = ["event.sequence", "event.object_id", "event.id", "event.created_at", "event.payload"] as const;

/** Where new events are looked for: after a position, up to another, and so many at most. */
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

/** Those of these events that are still wanted, in order; the sequences are JSON. */
export const wantedOf = statement<{ destination: string; sequences: string }, Stored>((db, parameter) =>
  db
    .selectFrom("event")
    .select(COLUMNS)
    .where(isListed(db, "event.sequence", parameter("sequences"), "bigint"))
    .where(isRouted(parameter("destination")))
    .orderBy("event.sequence"),
);

/**
 * The end of an object's id, by which a batch remembers what it has events of: enough, because it is random. Should two end alike
 * (of 2 × 10^14 pairs one), one waits for the other.
 */
const endOf = (object: string): string => object.slice(-8);

/** What these events are about, as a batch remembers it: JSON. */
export const objectEndsOf = (events: readonly { readonly object_id: string }[]): string =>
  JSON.stringify(events.map((event) => endOf(event.object_id)));

/** A batch of a destination as others see it. */
export type OtherBatch = Pick<BatchRow, "id" | "leased_until" | "object_ends">;

/** All batches of a destination, the oldest first: as many as its workers have under way, and those that were left. */
export const batchesOf = statement<{ destination: string }, OtherBatch>((db, parameter) =>
  db.selectFrom("batch").select(["id", "leased_until", "object_ends"]).where("destination_id", "=", parameter("destination")).orderBy("id"),
);

/** Who has an object's event under way: a batch. */
export type Holder = Pick<BatchRow, "id" | "leased_until">;

/** Says which of some batches has an object's event, if any has. */
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

export const insertBatch = insertion("batch", ["id", "destination_id", "sequences", "object_ends", "leased_until"]);

/** Renames a batch, so that whoever had it does not know it any more. */
export const takeOver = change<{ before: string } & Omit<BatchRow, "destination_id" | "object_ends">>((db, parameter) =>
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

/** Says how many there were. */
export const removeBatch = change<{ id: string }>((db, parameter) => db.deleteFrom("batch").where("id", "=", parameter("id")));

export const insertSent = insertion("sent", ["destination_id", "first", "sequences", "delivered_at"]);

/** Destinations that something may be due for: a batch that was left, an event in a lane, a new one, or many that are not for them. */
export const dueDestinations = statement<{ now: string }, { id: string }>((db, parameter) =>
  db
    .selectFrom("feed")
    .innerJoin("audit_head", (join) => join.onTrue())
    .select("feed.destination_id as id")
    .where((expressions) => {
      const { or, exists, selectFrom, eb } = expressions;
      // Not "exists": PostgreSQL may answer that for all feeds at once, from everything that is due.
      return or([
        eb("audit_head.sequence", ">", eb("feed.position", "+", sql.lit(LAG))),
        eb(
          selectFrom("lane")
            .select("lane.object_id")
            .whereRef("lane.destination_id", "=", "feed.destination_id")
            .where("lane.due_at", "<=", parameter("now"))
            .limit(sql.lit(1)),
          "is not",
          null,
        ),
        eb(
          selectFrom("batch")
            .select("batch.id")
            .whereRef("batch.destination_id", "=", "feed.destination_id")
            .where("batch.leased_until", "<=", parameter("now"))
            .limit(sql.lit(1)),
          "is not",
          null,
        ),
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

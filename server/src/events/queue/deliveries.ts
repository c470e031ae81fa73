import { type Kysely, sql } from "kysely";
import {
  change,
  type Database,
  type DeliveryRow,
  isAmong,
  isListed,
  recordsOf,
  statement,
  valuesOf,
} from "../../storage";
import type { Stored } from "../delivery/batch";

// Of the pending deliveries of one object to one destination, exactly one says when the next is due
// (`due_at`). While a batch has some of them, that is the first of these, and it has the lease. Lock the
// destination before you change its deliveries.

/**
 * A literal, not a parameter: the partial index on pending deliveries serves only statements that contain the
 * literal.
 */
export const PENDING = sql.lit("pending" as const);

/** Deliveries to one destination, by their sequences (JSON). */
interface Listed {
  readonly destination: string;
  readonly sequences: string;
}

/** Deliveries to one destination, by their objects (JSON). */
interface OfObjects {
  readonly destination: string;
  readonly objects: string;
}

/** Of each object with something due, the delivery that says so; longest due first. */
export const dueDeliveries = statement<
  { destination: string; now: string; most: number },
  Pick<DeliveryRow, "sequence" | "object_id">
>((db, parameter) =>
  db
    .selectFrom("delivery")
    .select(["sequence", "object_id"])
    .where("destination_id", "=", parameter("destination"))
    .where("due_at", "<=", parameter("now"))
    .orderBy("due_at")
    // Hides the limit from PostgreSQL's planner. If it expects fewer rows than the limit, it reads and sorts
    // them all.
    .limit(sql<number>`(select cast(${parameter("most")} as integer))`),
);

type Waiting = Stored & Pick<DeliveryRow, "attempts" | "first_attempt_at">;

/** The oldest waiting delivery of each object, in the order of events. */
export const oldestOfEach = statement<OfObjects & { most: number }, Waiting>((db, parameter) =>
  waiting(db, parameter("destination"), parameter("most")).where(
    isAmong(db, "delivery.sequence", oldest(db, parameter("destination"), parameter("objects"))),
  ),
);

/** All waiting deliveries of these objects, in the order of events. */
export const oldestOfAll = statement<OfObjects & { most: number }, Waiting>((db, parameter) =>
  waiting(db, parameter("destination"), parameter("most"))
    .where("delivery.status", "=", PENDING)
    .where(isListed(db, "delivery.object_id", parameter("objects"))),
);

const waiting = (db: Kysely<Database>, destination: string, most: number) =>
  db
    .selectFrom("delivery")
    .innerJoin("event", "event.sequence", "delivery.sequence")
    .select(["delivery.sequence", "delivery.object_id", "delivery.attempts", "delivery.first_attempt_at"])
    .select(["event.id", "event.created_at", "event.payload"])
    .where("delivery.destination_id", "=", destination)
    .orderBy("delivery.sequence")
    .limit(most);

const oldest = (db: Kysely<Database>, destination: string, objects: string) =>
  db.selectFrom(valuesOf(db, objects).as("object")).select(({ selectFrom }) =>
    selectFrom("delivery as first")
      .select(({ fn }) => fn.min("first.sequence").as("sequence"))
      .where("first.destination_id", "=", destination)
      .whereRef("first.object_id", "=", sql.ref("object.value"))
      .where("first.status", "=", PENDING)
      .as("sequence"),
  );

/** Writes a delivery for each event; `events` is a JSON list of their sequences and objects. */
export const insertDeliveries = statement<
  { destination: string; events: string } & Pick<DeliveryRow, "due_at" | "lease">,
  unknown
>((db, parameter) => {
  const typed = (name: "destination" | "due_at" | "lease") =>
    sql<never>`cast(${parameter(name)} as text)`.as(name);
  return db
    .insertInto("delivery")
    .columns(["sequence", "object_id", "destination_id", "due_at", "lease"])
    .expression(
      db
        .selectFrom(
          recordsOf<Pick<DeliveryRow, "sequence" | "object_id">>(db, parameter("events"), {
            sequence: "bigint",
            object_id: "text",
          }).as("event"),
        )
        .select(["event.sequence", "event.object_id"])
        .select([typed("destination"), typed("due_at"), typed("lease")]),
    );
});

/** Sets when these deliveries are due, and their lease. */
export const setDueAndLease = change<Listed & Pick<DeliveryRow, "due_at" | "lease">>((db, parameter) =>
  db
    .updateTable("delivery")
    .set({ lease: parameter("lease"), due_at: parameter("due_at") })
    .where("destination_id", "=", parameter("destination"))
    .where(isListed(db, "sequence", parameter("sequences"), "bigint")),
);

/** Ends the lease of deliveries that were not tried: they are due now. */
export const endLease = change<Listed & { lease: string; now: string }>((db, parameter) =>
  db
    .updateTable("delivery")
    .set({ lease: null, due_at: parameter("now") })
    .where("destination_id", "=", parameter("destination"))
    .where(isListed(db, "sequence", parameter("sequences"), "bigint"))
    .where("lease", "=", parameter("lease")),
);

/** Records an attempt with the same outcome for those deliveries that have this lease, or none. */
export const recordAttempt = statement<
  Listed & { at: string } & Pick<DeliveryRow, "status" | "last_error" | "lease">,
  { object_id: string }
>((db, parameter) =>
  db
    .updateTable("delivery")
    .set(({ eb, fn, ref, val }) => ({
      status: parameter("status"),
      attempts: eb("attempts", "+", sql.lit(1)),
      last_error: parameter("last_error"),
      first_attempt_at: fn.coalesce(ref("first_attempt_at"), val(parameter("at"))),
      last_attempt_at: parameter("at"),
      due_at: null,
      lease: null,
    }))
    .where("destination_id", "=", parameter("destination"))
    .where(isListed(db, "sequence", parameter("sequences"), "bigint"))
    .where("lease", "is not distinct from", parameter("lease"))
    .returning("object_id"),
);

/** One of the deliveries to a destination that nothing says when they are due, if there are any. */
export const behind = statement<{ destination: string }, Pick<DeliveryRow, "sequence">>((db, parameter) =>
  db
    .selectFrom("delivery")
    .select("sequence")
    .where("destination_id", "=", parameter("destination"))
    .where("status", "=", PENDING)
    .where("due_at", "is", null)
    .limit(sql.lit(1)),
);

/** Says when the next delivery of each of these objects is due; none of theirs does. */
export const setDue = change<OfObjects & { due: string }>((db, parameter) =>
  db
    .updateTable("delivery")
    .set({ due_at: parameter("due") })
    .where("destination_id", "=", parameter("destination"))
    .where(isAmong(db, "sequence", oldest(db, parameter("destination"), parameter("objects")))),
);

/** Which of these objects have a delivery that says when it is due. */
export const withDue = statement<OfObjects, { object_id: string }>((db, parameter) =>
  db
    .selectFrom("delivery")
    .select("object_id")
    .distinct()
    .where("destination_id", "=", parameter("destination"))
    .where("status", "=", PENDING)
    .where(isListed(db, "object_id", parameter("objects")))
    .where("due_at", "is not", null),
);

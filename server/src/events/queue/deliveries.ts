import { type Kysely, sql } from "kysely";
import {
  change,
  type Database,
  type DeliveryRow,
  isAmong,
  isListed,
  statement,
  valuesOf,
} from "../../storage";
import type { Stored } from "../delivery/batch";
import { isRouted } from "./cursors";

/**
 * A literal, not a parameter: the partial index on pending deliveries serves only statements that contain the
 * literal.
 */
export const PENDING = sql.lit("pending" as const);

/** Selects waiting deliveries to one destination by their objects (JSON), `most` at most. */
interface Wanted {
  readonly destination: string;
  readonly objects: string;
  readonly most: number;
}

type Waiting = Stored & Pick<DeliveryRow, "attempts" | "first_attempt_at">;

/** The oldest waiting delivery of each object, in the order of events. */
export const oldestOfEach = statement<Wanted, Waiting>((db, parameter) => {
  const oldest = db.selectFrom(valuesOf(db, parameter("objects")).as("object")).select(({ selectFrom }) =>
    selectFrom("delivery as first")
      .select(({ fn }) => fn.min("first.sequence").as("sequence"))
      .where("first.destination_id", "=", parameter("destination"))
      .whereRef("first.object_id", "=", sql.ref("object.value"))
      .where("first.status", "=", PENDING)
      .as("sequence"),
  );
  return waiting(db, parameter("destination"), parameter("most")).where(
    isAmong(db, "delivery.sequence", oldest),
  );
});

/** All waiting deliveries of these objects, in the order of events. */
export const oldestOfAll = statement<Wanted, Waiting>((db, parameter) =>
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

/** Turns events (their sequences as JSON) into deliveries with this number of attempts. */
interface Remembered extends Pick<DeliveryRow, "status" | "attempts" | "last_error"> {
  readonly destination: string;
  readonly sequences: string;
  /** Time of the attempt; null before the first one. */
  readonly at: string | null;
}

const remembering = (
  db: Kysely<Database>,
  parameter: <N extends keyof Remembered>(name: N) => Remembered[N],
  unwanted: boolean,
) =>
  db
    .insertInto("delivery")
    .columns([
      ...(["destination_id", "sequence", "event_type", "object_id"] as const),
      ...(["status", "attempts", "last_error", "first_attempt_at", "last_attempt_at"] as const),
    ])
    .expression((insert) => {
      const typed = (type: "text" | "integer", name: keyof Remembered) =>
        sql<never>`cast(${parameter(name)} as ${sql.raw(type)})`;
      const events = insert
        .selectFrom("event")
        .select([
          typed("text", "destination").as("destination_id"),
          "event.sequence",
          "event.type",
          "event.object_id",
        ])
        .select([typed("text", "status").as("status"), typed("integer", "attempts").as("attempts")])
        .select([
          typed("text", "last_error").as("last_error"),
          typed("text", "at").as("first"),
          typed("text", "at").as("last"),
        ])
        .where(isListed(db, "event.sequence", parameter("sequences"), "bigint"));
      return unwanted ? events : events.where(isRouted(parameter("destination")));
    });

/**
 * Writes a delivery for each event that has to wait or failed. Skips events that no subscription wants now.
 */
export const rememberWanted = statement<Remembered, unknown>((db, parameter) =>
  remembering(db, parameter, false),
);

/** Writes a delivery for each event, wanted or not. */
export const remember = statement<Remembered, unknown>((db, parameter) => remembering(db, parameter, true));

/** The fields of a delivery before its first attempt. */
export const UNTRIED = { status: "pending", attempts: 0, last_error: null, at: null } as const;

/**
 * Records an attempt with the same outcome for several deliveries (sequences as JSON). Ignores deliveries
 * that were dropped meanwhile.
 */
export const recordAttempt = change<
  Pick<DeliveryRow, "status" | "last_error" | "delivered_at"> & {
    destination: string;
    sequences: string;
    at: string;
  }
>((db, parameter) =>
  db
    .updateTable("delivery")
    .set(({ eb, fn, ref, val }) => ({
      status: parameter("status"),
      attempts: eb("attempts", "+", sql.lit(1)),
      last_error: parameter("last_error"),
      first_attempt_at: fn.coalesce(ref("first_attempt_at"), val(parameter("at"))),
      last_attempt_at: parameter("at"),
      delivered_at: parameter("delivered_at"),
    }))
    .where("destination_id", "=", parameter("destination"))
    .where(isListed(db, "sequence", parameter("sequences"), "bigint")),
);

import { type Kysely, sql } from "kysely";
import type { Database, DeliveryRow, Store } from "../../storage";
import { isWanted } from "../queue/cursors";
import { PENDING } from "../queue/deliveries";

type Status = DeliveryRow["status"];

/** Selects deliveries to one destination, newest event first. Without a status, it selects all of them. */
interface Wanted {
  readonly destination: string;
  readonly status: Status | undefined;
  readonly before: number;
  readonly most: number;
}

/**
 * A page of a destination's deliveries, newest event first, as the API shows them. `before` is an event's id.
 */
export async function deliveryPage(
  { reader }: Store,
  destination: string,
  status: Status | undefined,
  { limit, before }: { limit: number; before?: string },
) {
  const wanted = { destination, status, before: await sequenceOf(reader, before), most: limit + 1 };
  // Read in the order in which an event moves, so that an event that moves in between is not missed. The last
  // read wins.
  const found = [...(await unread(reader, wanted)), ...(await recorded(reader, wanted))];
  const rows = [...new Map(found.map((row) => [row.sequence, row])).values()].sort(
    (a, b) => b.sequence - a.sequence,
  );
  const page = rows.slice(0, limit);
  return {
    documents: page.map(({ sequence, ...row }) => JSON.stringify(row)),
    nextBefore: rows.length > limit ? (page.at(-1)?.event_id ?? null) : null,
  };
}

/** Answers 0 for an unknown event, so that the page is empty. */
async function sequenceOf(db: Kysely<Database>, id: string | undefined): Promise<number> {
  if (id === undefined) return Number.MAX_SAFE_INTEGER;
  const event = await db.selectFrom("event").select("sequence").where("id", "=", id).executeTakeFirst();
  return event?.sequence ?? 0;
}

const UNTRIED = {
  status: "pending",
  attempts: 0,
  last_error: null,
  first_attempt_at: null,
  last_attempt_at: null,
  delivered_at: null,
} as const;

const COLUMNS = [
  "event.sequence",
  "event.id as event_id",
  "event.type as event_type",
  "event.object_id",
  "event.created_at as event_timestamp",
] as const;

async function unread(db: Kysely<Database>, { destination, status, before, most }: Wanted) {
  if (status !== undefined && status !== "pending") return [];
  const rows = await db
    .selectFrom("event")
    .select(COLUMNS)
    .where(({ eb, selectFrom }) =>
      eb(
        "event.sequence",
        ">",
        selectFrom("subscription_cursor")
          .select(({ fn }) => fn.min("position").as("position"))
          .where("destination_id", "=", destination),
      ),
    )
    .where("event.sequence", "<", before)
    .where(isWanted(destination, "position"))
    .orderBy("event.sequence", "desc")
    .limit(most)
    .execute();
  return rows.map((row) => ({ ...row, ...UNTRIED, due_at: row.event_timestamp }));
}

async function recorded(db: Kysely<Database>, { destination, before, most, status }: Wanted) {
  // Few are pending: find them by their index, and sort them.
  const sequence =
    status === "pending" ? sql<number>`delivery.sequence + 0` : sql.ref<number>("delivery.sequence");
  let query = db
    .selectFrom("delivery")
    .innerJoin("event", "event.sequence", "delivery.sequence")
    .select(COLUMNS)
    .select(["status", "attempts", "last_error", "first_attempt_at", "last_attempt_at", "due_at"])
    .select(({ selectFrom }) =>
      selectFrom("delivery as first")
        .select("first.due_at")
        .whereRef("first.destination_id", "=", "delivery.destination_id")
        .whereRef("first.object_id", "=", "delivery.object_id")
        .where("first.status", "=", PENDING)
        .where("first.due_at", "is not", null)
        .limit(1)
        .as("object_due_at"),
    )
    .where("delivery.destination_id", "=", destination)
    .where(sequence, "<", before);
  if (status !== undefined) query = query.where("status", "=", sql.lit(status));
  const rows = await query.orderBy(sequence, "desc").limit(most).execute();
  return rows.map(({ object_due_at, ...row }) => ({
    ...row,
    delivered_at: row.status === "delivered" ? row.last_attempt_at : null,
    due_at: row.status === "pending" ? (row.due_at ?? object_due_at) : null,
  }));
}

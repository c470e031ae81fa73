import { present } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import type { Database, DeliveryRow, Store } from "../../storage";
import { isRoutedToCursor } from "../queue/cursors";

type Shown = Omit<DeliveryRow, "destination_id"> & {
  event_id: string;
  event_timestamp: string;
  due_at: string | null;
};

/** Selects deliveries to one destination, newest event first. Without a status, it selects all of them. */
interface Wanted {
  readonly destination: string;
  readonly status: DeliveryRow["status"] | undefined;
  readonly before: number;
  readonly most: number;
}

/**
 * A page of a destination's deliveries, newest event first, as the API shows them. `before` is an event's id.
 */
export async function deliveryPage(
  { reader }: Store,
  destination: string,
  status: DeliveryRow["status"] | undefined,
  { limit, before }: { limit: number; before?: string },
) {
  const wanted = { destination, status, before: await sequenceOf(reader, before), most: limit + 1 };
  const found = new Map<number, Shown>();
  // Read in the order in which an event moves, so that an event that moves in between is not missed. The last
  // read wins.
  for (const source of [untaken, underWay, sent, remembered]) {
    for (const row of await source(reader, wanted)) found.set(row.sequence, row);
  }
  const rows = [...found.values()].sort((a, b) => b.sequence - a.sequence);
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

const untried = {
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

async function untaken(
  db: Kysely<Database>,
  { destination, status, before, most }: Wanted,
): Promise<Shown[]> {
  if (status !== undefined && status !== "pending") return [];
  const rows = await db
    .selectFrom("feed")
    .innerJoin("event", (join) => join.onRef("event.sequence", ">", "feed.position"))
    .select(COLUMNS)
    .where("feed.destination_id", "=", destination)
    .where("event.sequence", "<", before)
    .where(isRoutedToCursor)
    .orderBy("event.sequence", "desc")
    .limit(most)
    .execute();
  return rows.map((row) => ({ ...row, ...untried, due_at: row.event_timestamp }));
}

async function underWay(
  db: Kysely<Database>,
  { destination, status, before, most }: Wanted,
): Promise<Shown[]> {
  if (status !== undefined && status !== "pending") return [];
  const batches = await db
    .selectFrom("batch")
    .select(["sequences", "leased_until"])
    .where("destination_id", "=", destination)
    .execute();
  const due = new Map(
    batches.flatMap(({ sequences, leased_until }) =>
      sequencesIn(sequences).map((sequence) => [sequence, leased_until]),
    ),
  );
  const rows = await eventsAmong(db, [...due.keys()], before, most);
  return rows.map((row) => ({ ...row, ...untried, due_at: due.get(row.sequence) ?? null }));
}

async function sent(db: Kysely<Database>, { destination, status, before, most }: Wanted): Promise<Shown[]> {
  if (status !== undefined && status !== "delivered") return [];
  const batches = await db
    .selectFrom("sent")
    .select(["sequences", "delivered_at"])
    .where("destination_id", "=", destination)
    .where("first", "<", before)
    .orderBy("first", "desc")
    .limit(most) // each has one event at least
    .execute();
  const at = new Map(
    batches.flatMap(({ sequences, delivered_at }) =>
      sequencesIn(sequences).map((sequence) => [sequence, delivered_at]),
    ),
  );
  const rows = await eventsAmong(db, [...at.keys()], before, most);
  return rows.map((row) => {
    const delivered_at = present(at.get(row.sequence));
    const times = {
      first_attempt_at: delivered_at,
      last_attempt_at: delivered_at,
      delivered_at,
      due_at: null,
    };
    return { ...row, status: "delivered", attempts: 1, last_error: null, ...times };
  });
}

const sequencesIn = (json: string): number[] => JSON.parse(json);

function eventsAmong(db: Kysely<Database>, sequences: readonly number[], before: number, most: number) {
  const newest = sequences
    .filter((sequence) => sequence < before)
    .sort((a, b) => b - a)
    .slice(0, most);
  if (newest.length === 0) return [];
  return db.selectFrom("event").select(COLUMNS).where("sequence", "in", newest).execute();
}

async function remembered(
  db: Kysely<Database>,
  { destination, before, most, status }: Wanted,
): Promise<Shown[]> {
  let query = db
    .selectFrom("delivery")
    .innerJoin("event", "event.sequence", "delivery.sequence")
    .leftJoin("lane", (join) =>
      join
        .onRef("lane.destination_id", "=", "delivery.destination_id")
        .onRef("lane.object_id", "=", "delivery.object_id"),
    )
    .select(COLUMNS)
    .select([
      "status",
      "attempts",
      "last_error",
      "first_attempt_at",
      "last_attempt_at",
      "delivered_at",
      "lane.due_at",
    ])
    .where("delivery.destination_id", "=", destination)
    .where("delivery.sequence", "<", before);
  if (status !== undefined) query = query.where("status", "=", status);
  const rows = await query.orderBy("delivery.sequence", "desc").limit(most).execute();
  return rows.map((row) => ({ ...row, due_at: row.status === "pending" ? row.due_at : null }));
}

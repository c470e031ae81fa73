import { type Kysely, sql } from "kysely";
import { findById, lockById, type StoredRow } from "../resources";
import {
  bulkInsertion,
  type Database,
  effect,
  isListed,
  partsOf,
  pipelined,
  statement,
  Transaction,
} from "../storage";

export const isAnyEnforced = statement<object, { guarantee_id: string }>((db) =>
  db.selectFrom("guarantee_address").select("guarantee_id").limit(1),
);

/** The enforced guarantees of places. */
export async function guaranteesAt(db: Kysely<Database>, places: readonly string[]): Promise<string[]> {
  const rows = await pipelined(partsOf([...new Set(places)]).map((some) => atPlaces(db, { places: some })));
  return [...new Set(rows.flat().map(({ guarantee_id }) => guarantee_id))];
}

const atPlaces = statement<{ places: string }, { guarantee_id: string }>((db, parameter) =>
  db
    .selectFrom("guarantee_address")
    .select("guarantee_id")
    .distinct()
    .where(isListed(db, "place", parameter("places"))),
);

/**
 * Breaks a constraint if a guarantee is found at one of the places. An optimistic transaction that nothing
 * has to be judged for then waits for no answer; else its work runs again, and is judged.
 */
export async function refuseGuaranteed(db: Kysely<Database>, places: readonly string[]): Promise<void> {
  await pipelined(partsOf([...new Set(places)]).map((some) => breakAt(db, { places: some })));
}

const breakAt = effect<{ places: string }>((db, parameter) =>
  db
    .insertInto("guarantee_address")
    .columns(["place", "guarantee_id"])
    .expression(
      db
        .selectFrom("guarantee_address")
        .select([sql<string>`null`.as("place"), "guarantee_id"])
        .where(isListed(db, "place", parameter("places")))
        .limit(1),
    ),
);

/** In a transaction, locks them until it ends: of two changes that touch one, the second sees the first. */
export async function lockGuarantees(db: Kysely<Database>, ids: readonly string[]): Promise<StoredRow[]> {
  const read = db instanceof Transaction ? lockById : findById;
  return (await pipelined(ids.toSorted().map((id) => read(db, { id })))).flat();
}

type Read = Pick<StoredRow, "kind" | "document">;

/** In a transaction, no one changes them until it ends, though others may read them this way too. */
export async function keepObjects(db: Kysely<Database>, ids: readonly string[]): Promise<Read[]> {
  const read = db instanceof Transaction ? keptByIds : byIds;
  return (await pipelined(partsOf(ids.toSorted()).map((some) => read(db, { ids: some })))).flat();
}

const byIds = statement<{ ids: string }, Read>((db, parameter) => among(db, parameter("ids")));
const keptByIds = statement<{ ids: string }, Read>((db, parameter) => among(db, parameter("ids")).forShare());

const among = (db: Kysely<Database>, ids: string) =>
  db
    .selectFrom("resource")
    .select(["kind", "document"])
    .where(isListed(db, "id", ids))
    .orderBy("id");

/** In a transaction, no one refers to them newly until it ends, nor changes them. */
export const lockObjects = async (db: Kysely<Database>, ids: readonly string[]): Promise<void> => {
  if (db instanceof Transaction) await pipelined(ids.toSorted().map((id) => lockById(db, { id })));
};

/** All enforced guarantees. */
export const enforced = statement<{ limit: number }, { id: string; document: string }>((db, parameter) =>
  db
    .selectFrom("resource")
    .select(["id", "document"])
    .where("kind", "=", "guarantee")
    .where("id", "in", (from) => from.selectFrom("guarantee_address").select("guarantee_id"))
    .limit(parameter("limit")),
);

export const forgetPlaces = effect<{ id: string }>((db, parameter) =>
  db.deleteFrom("guarantee_address").where("guarantee_id", "=", parameter("id")),
);

export const insertPlaces = bulkInsertion("guarantee_address", ["place", "guarantee_id"]);

/**
 * What a write can touch, in every project. Only the guard reads here, to find out which guarantees it has to
 * judge; what answers show is read through a view.
 */

import { type Kysely, sql } from "kysely";
import type { Document } from "../../documents";
import type { StoredRow } from "../../resources";
import {
  bulkInsertion,
  type Database,
  effect,
  type GuaranteeStateRow,
  isAmong,
  isListed,
  partsOf,
  pipelined,
  statement,
  Transaction,
} from "../../storage";

/** Whether there are guarantees, and whether one is enforced: the strictest of them. */
export const strictest = statement<object, Pick<Database["guarantee_address"], "enforced">>((db) =>
  db.selectFrom("guarantee_address").select("enforced").orderBy("enforced", "desc").limit(1),
);

/** The enforced guarantees of keys. */
export async function guaranteesAt(db: Kysely<Database>, keys: readonly string[]): Promise<string[]> {
  const rows = await pipelined(partsOf([...new Set(keys)]).map((part) => atKeys(db, { keys: part })));
  return [...new Set(rows.flat().map(({ guarantee_id }) => guarantee_id))];
}

const atKeys = statement<{ keys: string }, { guarantee_id: string }>((db, parameter) =>
  db
    .selectFrom("guarantee_address")
    .select("guarantee_id")
    .distinct()
    .where("enforced", "=", 1)
    .where(isListed(db, "address_key", parameter("keys"))),
);

/**
 * Notes that a change touches the guarantees of keys: their states are judged again.
 *
 * @param project whose guarantees; undefined for those of every project
 */
export async function touchAt(
  db: Kysely<Database>,
  keys: readonly string[],
  project: string | undefined,
): Promise<void> {
  await pipelined(
    partsOf([...new Set(keys)]).map((part) =>
      project === undefined ? touchEvery(db, { keys: part }) : touchOwn(db, { keys: part, project }),
    ),
  );
}

/** In the order of ids, so that writers do not deadlock. */
const statesAt = (db: Kysely<Database>, keys: string) =>
  db
    .selectFrom("guarantee_state")
    .select("guarantee_id")
    .where("guarantee_id", "in", (from) =>
      from
        .selectFrom("guarantee_address")
        .select("guarantee_id")
        .where(isListed(db, "address_key", keys)),
    )
    .orderBy("guarantee_id")
    .forUpdate();

const touch = (db: Kysely<Database>) =>
  db.updateTable("guarantee_state").set((row) => ({ touched: row("touched", "+", 1), due_at: 0 }));

const touchEvery = effect<{ keys: string }>((db, parameter) =>
  touch(db).where(isAmong(db, "guarantee_id", statesAt(db, parameter("keys")))),
);

const touchOwn = effect<{ keys: string; project: string }>((db, parameter) =>
  touch(db).where(
    isAmong(
      db,
      "guarantee_id",
      statesAt(db, parameter("keys")).where("project_id", "=", parameter("project")),
    ),
  ),
);

/** Notes the same for all guarantees. @param project whose guarantees; "" for those of every project */
export const touchAll = effect<{ project: string }>((db, parameter) =>
  touch(db).where(
    isAmong(
      db,
      "guarantee_id",
      db
        .selectFrom("guarantee_state")
        .select("guarantee_id")
        .where((row) =>
          row.or([row(row.val(parameter("project")), "=", ""), row("project_id", "=", parameter("project"))]),
        )
        .orderBy("guarantee_id")
        .forUpdate(),
    ),
  ),
);

/** A new guarantee has no state yet; that of a changed one is judged again. */
export const touchGuarantee = effect<Pick<GuaranteeStateRow, "guarantee_id" | "project_id">>(
  (db, parameter) =>
    db
      .insertInto("guarantee_state")
      .values({
        guarantee_id: parameter("guarantee_id"),
        project_id: parameter("project_id"),
        touched: 1,
        judged: 0,
        state: null,
        judged_at: null,
        ports: "",
        ends_at: null,
        due_at: 0,
      })
      .onConflict((conflict) =>
        conflict.column("guarantee_id").doUpdateSet((row) => ({
          touched: row("guarantee_state.touched", "+", 1),
          due_at: 0,
        })),
      ),
);

/**
 * Breaks a constraint if there is a guarantee at one of the keys. So an optimistic transaction waits for no
 * answer if there is nothing to judge; if there is, its work runs again, and is judged.
 */
export async function refuseGuaranteed(db: Kysely<Database>, keys: readonly string[]): Promise<void> {
  await pipelined(partsOf([...new Set(keys)]).map((part) => breakAt(db, { keys: part })));
}

const breakAt = effect<{ keys: string }>((db, parameter) =>
  db
    .insertInto("guarantee_address")
    .columns(["address_key", "guarantee_id"])
    .expression(
      db
        .selectFrom("guarantee_address")
        .select([sql<string>`null`.as("address_key"), "guarantee_id"])
        .where("enforced", "=", 1)
        .where(isListed(db, "address_key", parameter("keys")))
        .limit(1),
    ),
);

/** The fields in a stored document. */
export const fieldsIn = (document: string): Document => JSON.parse(document);

type ReadRow = Pick<StoredRow, "id" | "kind" | "document" | "project_id">;

const among = (db: Kysely<Database>, ids: string) =>
  db
    .selectFrom("resource")
    .select(["id", "kind", "document", "project_id"])
    .where(isListed(db, "id", ids))
    .orderBy("id");

const byIds = statement<{ ids: string }, ReadRow>((db, parameter) => among(db, parameter("ids")));
const keptByIds = statement<{ ids: string }, ReadRow>((db, parameter) =>
  among(db, parameter("ids")).forShare(),
);
const lockedByIds = statement<{ ids: string }, ReadRow>((db, parameter) =>
  among(db, parameter("ids")).forUpdate(),
);

/** In the order of ids, so that writers do not deadlock. */
async function read(db: Kysely<Database>, ids: readonly string[], locking: typeof byIds): Promise<ReadRow[]> {
  const reading = db instanceof Transaction ? locking : byIds;
  return (await pipelined(partsOf(ids.toSorted()).map((part) => reading(db, { ids: part })))).flat();
}

/** In a transaction, locks them until it ends: of two changes that touch one, the second sees the first. */
export const lockGuarantees = (db: Kysely<Database>, ids: readonly string[]): Promise<ReadRow[]> =>
  read(db, ids, lockedByIds);

/** In a transaction, nobody changes them until it ends; several transactions may keep the same objects. */
export const keepObjects = (db: Kysely<Database>, ids: readonly string[]): Promise<ReadRow[]> =>
  read(db, ids, keptByIds);

/** In a transaction, nobody changes them or makes a new reference to them until it ends. */
export const lockObjects = async (db: Kysely<Database>, ids: readonly string[]): Promise<void> => {
  if (db instanceof Transaction) await read(db, ids, lockedByIds);
};

/** The guarantees of a project. */
export const guaranteesOf = statement<{ project: string; limit: number }, { id: string; document: string }>(
  (db, parameter) =>
    db
      .selectFrom("resource")
      .select(["id", "document"])
      .where("kind", "=", "guarantee")
      .where("project_id", "=", parameter("project"))
      .limit(parameter("limit")),
);

/** Who refers to objects, in every project. */
export async function allReferrersOf(
  db: Kysely<Database>,
  ids: readonly string[],
  limit: number,
): Promise<string[]> {
  const rows = await pipelined(ids.map((id) => referrersOf(db, { id, limit })));
  return rows.flat().map(({ from_id }) => from_id);
}

const referrersOf = statement<{ id: string; limit: number }, { from_id: string }>((db, parameter) =>
  db
    .selectFrom("reference")
    .select("from_id")
    .distinct()
    .where("to_id", "=", parameter("id"))
    .where("cascades", "=", 0)
    .orderBy("from_id")
    .limit(parameter("limit")),
);

/** The hostports of every project. */
export const hostportsOfAll = statement<{ limit: number }, { value: string }>((db, parameter) =>
  db
    .selectFrom("unique_key")
    .select("value")
    .where("scope", "=", "hostport")
    .orderBy("value")
    .limit(parameter("limit")),
);

export const forgetAddressKeys = effect<{ id: string }>((db, parameter) =>
  db.deleteFrom("guarantee_address").where("guarantee_id", "=", parameter("id")),
);

export const insertAddressKeys = bulkInsertion("guarantee_address", [
  "address_key",
  "guarantee_id",
  "enforced",
]);

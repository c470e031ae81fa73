import { type Definition, oncePer } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import { wholeOf } from "../documents";
import type { StoredRow } from "../resources";
import { type Database, isListed, type Statement, statement } from "../storage";
import { takeTurn } from "../util";

/** Ids that one statement looks up. */
const AT_ONCE = 200;

/** Runs a statement for parts of a long list, and gives others their turn in between. */
async function inParts<R>(list: readonly string[], run: (part: string) => Promise<R[]>): Promise<R[]> {
  const rows: R[] = [];
  for (let start = 0; start < list.length; start += AT_ONCE) {
    for (const row of await run(JSON.stringify(list.slice(start, start + AT_ONCE)))) rows.push(row);
    await takeTurn();
  }
  return rows;
}

export const findSet = statement<{ name: string }, Database["changeset"]>((db, parameter) =>
  db.selectFrom("changeset").selectAll().where("name", "=", parameter("name")),
);

export const lockSet = statement<{ name: string }, Database["changeset"]>((db, parameter) =>
  db.selectFrom("changeset").selectAll().where("name", "=", parameter("name")).forUpdate(),
);

/** An object of a set, and to whom it belongs. */
export type MemberRow = Database["changeset_object"] & { readonly owner_id: string };

export const membersOf = statement<{ set: string }, MemberRow>((db, parameter) =>
  db
    .selectFrom("changeset_object")
    .innerJoin("resource", "resource.id", "changeset_object.resource_id")
    .selectAll("changeset_object")
    .select("resource.owner_id")
    .where("changeset_id", "=", parameter("set"))
    .orderBy("changeset_object.kind")
    .orderBy("changeset_object.key"),
);

const setsByIds = statement<{ ids: string }, { resource_id: string; name: string }>((db, parameter) =>
  db
    .selectFrom("changeset_object")
    .innerJoin("changeset", "changeset.id", "changeset_object.changeset_id")
    .select(["resource_id", "changeset.name"])
    .where(isListed(db, "resource_id", parameter("ids"))),
);

/** The sets to which objects belong. */
export const setsOf = (db: Kysely<Database>, ids: readonly string[]) =>
  inParts(ids, (part) => setsByIds(db, { ids: part }));

const wholeByIds = oncePer(
  (definition: Definition): Statement<{ ids: string }, StoredRow> =>
    statement((db, parameter) =>
      db
        .selectFrom("resource")
        .select(["id", "kind", "owner_id", "version", wholeOf(definition).as("document")])
        .where(isListed(db, "resource.id", parameter("ids"))),
    ),
);

/** Objects of one type, with their embedded lists. */
export const wholeRows = (db: Kysely<Database>, definition: Definition, ids: readonly string[]) =>
  inParts(ids, (part) => wholeByIds(definition)(db, { ids: part }));

/** An object without its document. */
export type BriefRow = Pick<Database["resource"], "id" | "kind" | "owner_id" | "version">;

const briefByIds = statement<{ ids: string }, BriefRow>((db, parameter) =>
  db
    .selectFrom("resource")
    .select(["id", "kind", "owner_id", "version"])
    .where(isListed(db, "id", parameter("ids"))),
);

const lockedByIds = statement<{ ids: string }, BriefRow>((db, parameter) =>
  db
    .selectFrom("resource")
    .select(["id", "kind", "owner_id", "version"])
    .where(isListed(db, "id", parameter("ids")))
    .orderBy("id")
    .forUpdate(),
);

export const briefRows = (db: Kysely<Database>, ids: readonly string[]) =>
  inParts(ids, (part) => briefByIds(db, { ids: part }));

/** The same, locked until the transaction ends; in the order of ids, so that writers do not deadlock. */
export const lockRows = (db: Kysely<Database>, ids: readonly string[]) =>
  inParts(ids.toSorted(), (part) => lockedByIds(db, { ids: part }));

/** A reference of a stored object to another. */
export type UserRow = Pick<Database["reference"], "from_id" | "to_id" | "field" | "cascades"> & {
  readonly kind: string;
};

const usersByIds = statement<{ ids: string }, UserRow>((db, parameter) =>
  db
    .selectFrom("reference")
    .innerJoin("resource", "resource.id", "reference.from_id")
    .select(["from_id", "to_id", "field", "cascades", "resource.kind"])
    .where(isListed(db, "to_id", parameter("ids")))
    .orderBy("from_id"),
);

/** The references to objects. */
export const usersOfAll = (db: Kysely<Database>, ids: readonly string[]) =>
  inParts(ids, (part) => usersByIds(db, { ids: part }));

const targetsByIds = statement<{ ids: string }, { from_id: string; to_id: string }>((db, parameter) =>
  db
    .selectFrom("reference")
    .select(["from_id", "to_id"])
    .where(isListed(db, "from_id", parameter("ids"))),
);

/** The references in objects. */
export const targetsOfAll = (db: Kysely<Database>, ids: readonly string[]) =>
  inParts(ids, (part) => targetsByIds(db, { ids: part }));

/** The holder of a unique key. */
export interface HolderRow {
  readonly scope: string;
  readonly value: string;
  readonly id: string;
  readonly owner_id: string;
}

const holdersByKeys = statement<{ scope: string; values: string }, HolderRow>((db, parameter) =>
  db
    .selectFrom("unique_key")
    .innerJoin("resource", "resource.id", "unique_key.resource_id")
    .select(["scope", "value", "resource.id", "resource.owner_id"])
    .where("scope", "=", parameter("scope"))
    .where(isListed(db, "value", parameter("values"))),
);

/** The holders of unique keys, by scope. */
export async function holdersOf(
  db: Kysely<Database>,
  keys: ReadonlyMap<string, readonly string[]>,
): Promise<HolderRow[]> {
  const found: HolderRow[] = [];
  for (const [scope, values] of keys)
    found.push(...(await inParts(values, (part) => holdersByKeys(db, { scope, values: part }))));
  return found;
}

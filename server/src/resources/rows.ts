import { type Definition, oncePer } from "@tunnelplane/sdk/contract";
import { embeddedListOf, wholeOf } from "../documents";
import {
  bulkInsertion,
  type Database,
  effect,
  inParts,
  isListed,
  type Statement,
  statement,
  type Transaction,
} from "../storage";

/** An object as it is stored, its secrets sealed. */
export type StoredRow = Pick<
  Database["resource"],
  "id" | "kind" | "owner_id" | "version" | "document" | "project_id" | "name"
>;

/** What every reading of whole objects selects, beside the document. */
export const STORED_COLUMNS = ["id", "kind", "owner_id", "version", "project_id", "name"] as const;

export type FindById = Statement<{ id: string }, StoredRow>;

export const findById: FindById = statement((db, parameter) =>
  db
    .selectFrom("resource")
    .select([...STORED_COLUMNS, "document"])
    .where("id", "=", parameter("id")),
);

/** The same, with the documents of its embedded list; see `documents/embedded.ts`. */
export const findWhole = oncePer(
  (definition: Definition): FindById =>
    statement((db, parameter) =>
      db
        .selectFrom("resource")
        .select([...STORED_COLUMNS, wholeOf(definition).as("document")])
        .where("id", "=", parameter("id")),
    ),
);

/** Locks the object until the transaction ends. */
export const lockById: FindById = statement((db, parameter) =>
  db
    .selectFrom("resource")
    .select([...STORED_COLUMNS, "document"])
    .where("id", "=", parameter("id"))
    .forUpdate(),
);

/** Locks first and reads afterwards, so that no other writer changes in between what was read. */
export const lockWhole = (definition: Definition): FindById =>
  embeddedListOf(definition)
    ? async (db, at) => ((await lockById(db, at)).length > 0 ? findWhole(definition)(db, at) : [])
    : lockById;

export const insertResources = bulkInsertion("resource", [
  "id",
  "kind",
  "owner_id",
  "version",
  "document",
  "project_id",
  "name",
]);

/** The hashes of one-time secrets, by which they are found. */
export const insertSecretHashes = bulkInsertion("one_time_secret", [
  "resource_id",
  "hash",
  "session_id",
  "identity_id",
  "identity_version",
]);

export const insertSealedSecrets = bulkInsertion("sealed_secret", ["resource_id", "name", "value"]);

export const updateDocument = effect<Pick<StoredRow, "id" | "version" | "document">>((db, parameter) =>
  db
    .updateTable("resource")
    .set({ version: parameter("version"), document: parameter("document") })
    .where("id", "=", parameter("id")),
);

export const deleteResources = (transaction: Transaction, ids: readonly string[]) =>
  inParts(ids, (part) => deleteByIds(transaction, { ids: part }));

const deleteByIds = effect<{ ids: string }>((db, parameter) =>
  db.deleteFrom("resource").where(isListed(db, "id", parameter("ids"))),
);

/** The children that are deleted together with an object. */
export const childrenOf = statement<{ id: string }, Database["resource"]>((db, parameter) =>
  db
    .selectFrom("reference")
    .innerJoin("resource", "resource.id", "reference.from_id")
    .selectAll("resource")
    .where("to_id", "=", parameter("id"))
    .where("cascades", "=", 1)
    .orderBy("resource.id"),
);

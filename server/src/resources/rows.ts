import { type Definition, oncePer } from "@tunnelplane/sdk/contract";
import { embeddedListOf, wholeOf } from "../documents";
import { type Database, effect, insertion, type Statement, statement } from "../storage";

/** An object as it is stored, its secrets sealed. */
export type StoredRow = Pick<Database["resource"], "id" | "kind" | "owner_id" | "version" | "document">;

export type FindById = Statement<{ id: string }, StoredRow>;

export const findById: FindById = statement((db, parameter) =>
  db
    .selectFrom("resource")
    .select(["id", "kind", "owner_id", "version", "document"])
    .where("id", "=", parameter("id")),
);

/** The same, with the documents of its embedded list; see `documents/embedded.ts`. */
export const findWhole = oncePer(
  (definition: Definition): FindById =>
    statement((db, parameter) =>
      db
        .selectFrom("resource")
        .select(["id", "kind", "owner_id", "version", wholeOf(definition).as("document")])
        .where("id", "=", parameter("id")),
    ),
);

/** Locks the object until the transaction ends. */
export const lockById: FindById = statement((db, parameter) =>
  db
    .selectFrom("resource")
    .select(["id", "kind", "owner_id", "version", "document"])
    .where("id", "=", parameter("id"))
    .forUpdate(),
);

/** Locks first and reads afterwards, so that no other writer changes in between what was read. */
export const lockWhole = (definition: Definition): FindById =>
  embeddedListOf(definition)
    ? async (db, at) => ((await lockById(db, at)).length > 0 ? findWhole(definition)(db, at) : [])
    : lockById;

export const insertResource = insertion("resource", ["id", "kind", "owner_id", "version", "document"]);

export const insertToldSecret = insertion("told_secret", ["resource_id", "hash"]);

export const insertSealedSecret = insertion("sealed_secret", ["resource_id", "name", "value"]);

export const updateDocument = effect<Omit<StoredRow, "kind" | "owner_id">>((db, parameter) =>
  db
    .updateTable("resource")
    .set({ version: parameter("version"), document: parameter("document") })
    .where("id", "=", parameter("id")),
);

export const deleteResource = effect<{ id: string }>((db, parameter) =>
  db.deleteFrom("resource").where("id", "=", parameter("id")),
);

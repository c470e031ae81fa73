import type { Database } from "./storage/schema";
import { insertion, statement } from "./storage/statement";

/** An object as it is stored, its secrets sealed. */
export type StoredRow = Pick<Database["resource"], "id" | "kind" | "owner_id" | "version" | "document">;

export const findById = statement<{ id: string }, StoredRow>((db, parameter) =>
  db.selectFrom("resource").select(["id", "kind", "owner_id", "version", "document"]).where("id", "=", parameter("id")),
);

/** Keeps other writers away from the object until the transaction ends. */
export const lockById: typeof findById = statement((db, parameter) =>
  db.selectFrom("resource").select(["id", "kind", "owner_id", "version", "document"]).where("id", "=", parameter("id")).forUpdate(),
);

export const insertResource = insertion("resource", ["id", "kind", "owner_id", "version", "document"]);

export const updateDocument = statement<Omit<StoredRow, "kind" | "owner_id">, unknown>((db, parameter) =>
  db
    .updateTable("resource")
    .set({ version: parameter("version"), document: parameter("document") })
    .where("id", "=", parameter("id")),
);

export const deleteResource = statement<{ id: string }, unknown>((db, parameter) =>
  db.deleteFrom("resource").where("id", "=", parameter("id")),
);

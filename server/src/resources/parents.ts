import { type Definition, fieldOf, marksOf, pathFieldsOf, targetsOf } from "@tunnelplane/sdk/contract";
import { sql } from "kysely";
import { type Document, embeddedListOf, textIn } from "../documents";
import { pipelined, statement, type Transaction } from "../storage";
import { refuseFaults } from "../util";
import { findById, lockById, updateDocument } from "./rows";

/** The definition of the parent that a field of the path names. */
export function parentOf(definition: Definition, field: string): Definition {
  const [parent] = targetsOf(marksOf(fieldOf(definition, field)).reference?.to ?? []);
  if (!parent) throw new Error(`${definition.kind}.${field} names no kind of object`);
  return parent;
}

/**
 * Writers of one parent's children take turns, because each changes what the parent shows.
 * They lock the parent first, as its deletion does, so that they do not deadlock.
 */
export async function lockParents(
  transaction: Transaction,
  definition: Definition,
  ids: Document,
): Promise<void> {
  for (const field of pathFieldsOf(definition)) await lockById(transaction, { id: textIn(ids, field) });
}

/**
 * Counts up a parent's version after a change of a child that it shows.
 * @param grew whether the child takes more room now; then the limit of all children together is checked
 */
export async function touchParent(
  transaction: Transaction,
  definition: Definition,
  sent: Document,
  grew: boolean,
): Promise<void> {
  for (const field of pathFieldsOf(definition)) {
    const parent = parentOf(definition, field);
    const list = embeddedListOf(parent);
    if (list?.definition !== definition) continue;
    const id = textIn(sent, field);
    const [[row], [children]] = await pipelined([
      findById(transaction, { id }),
      bytesOfChildren(transaction, { id, field }),
    ]);
    if (!row) continue;
    const bytes = Number(children?.bytes ?? 0);
    if (grew && bytes > list.bytes) {
      const message = `makes the ${list.field} of ${id} ${bytes} bytes long together, and they may have ${list.bytes}; send less, or use another ${parent.title}`;
      refuseFaults([{ error: "invalid_field", path: [], message }]);
    }
    await updateDocument(transaction, { id, version: row.version + 1, document: row.document });
  }
}

const bytesOfChildren = statement<{ id: string; field: string }, { bytes: number | string | null }>(
  (db, parameter) =>
    db
      .selectFrom("resource")
      .innerJoin("reference", "reference.from_id", "resource.id")
      .select(sql<number | null>`sum(octet_length(resource.document))`.as("bytes"))
      .where("reference.to_id", "=", parameter("id"))
      .where("reference.field", "=", parameter("field")),
);

import { type Definition, fieldsWhere, marksOf, pathFieldsOf, targetsOf } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import type { Document } from "./documents";
import { findById, lockById, updateDocument } from "./resourceTable";
import type { Database } from "./storage/schema";
import { statement, together } from "./storage/statement";

/** The definition of the objects that a field of the path names. */
export function parentOf(definition: Definition, field: string): Definition {
  const [parent] = targetsOf(marksOf(definition.fields[field] as never).reference?.to ?? []);
  if (!parent) throw new Error(`${definition.kind}.${field} names no kind of object`);
  return parent;
}

/**
 * Writers of the children of one parent take turns, because each brings the parent's list of them up to date.
 * The parent is locked first, as when it is deleted with its children, so that nobody waits in a circle.
 */
export async function lockParents(transaction: Kysely<Database>, definition: Definition, ids: Document): Promise<void> {
  for (const field of pathFieldsOf(definition)) await lockById(transaction, { id: ids[field] as string });
}

/** Brings the list that a parent's document holds of its children up to date. Takes time with the number of those children only. */
export async function refreshParent(transaction: Kysely<Database>, definition: Definition, sent: Document): Promise<void> {
  for (const field of pathFieldsOf(definition)) {
    const list = fieldsWhere(parentOf(definition, field), (marks) => marks.embeds === definition.kind)[0];
    if (!list) continue;
    const id = sent[field] as string;
    const [[parent], children] = await together([findById(transaction, { id }), findChildren(transaction, { id, field })]);
    if (!parent) continue;
    const document = JSON.stringify({ ...JSON.parse(parent.document), [list]: children.map((child) => JSON.parse(child.document)) });
    await updateDocument(transaction, { id, version: parent.version + 1, document });
  }
}

const findChildren = statement<{ id: string; field: string }, { document: string }>((db, parameter) =>
  db
    .selectFrom("resource")
    .innerJoin("reference", "reference.from_id", "resource.id")
    .select("document")
    .where("reference.to_id", "=", parameter("id"))
    .where("reference.field", "=", parameter("field"))
    .orderBy("resource.id", "desc"),
);

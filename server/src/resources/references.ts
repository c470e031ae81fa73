import { type Definition, formatPath, SHARED_PROJECT, type UniqueKey } from "@tunnelplane/sdk/contract";
import { sql } from "kysely";
import {
  bulkInsertion,
  type Database,
  effect,
  inParts,
  isListed,
  pipelined,
  type Transaction,
} from "../storage";
import {
  isLendable,
  NAMED_EVERYWHERE,
  type PendingWrite,
  type ResolvableReference,
  referencesOf,
} from "./rules";

/**
 * Whether an object refers to other objects than before. Unchanged references are not written again: that
 * would wait for a transaction that deletes their target, which may itself wait for this object, because it
 * deletes it too: a deadlock.
 */
export const refersElsewhere = ({ id, definition, before, references }: PendingWrite): boolean =>
  before === undefined ||
  textOf(referenceRows(id, referencesOf(definition, before))) !== textOf(referenceRows(id, references));

/** Whether an object holds other unique keys than before. */
export const claimsOthers = ({ id, definition, before, sent }: PendingWrite): boolean =>
  before === undefined || textOf(keysOf(id, definition, before)) !== textOf(keysOf(id, definition, sent));

const textOf = (rows: readonly object[]): string => JSON.stringify(rows);

/**
 * Records what an object refers to. An optimistic transaction fails if the target is missing, or is of a type
 * that is not allowed there.
 */
export async function recordReferences(transaction: Transaction, write: PendingWrite): Promise<void> {
  const { id, project, references } = write;
  const rows = referenceRows(id, references);
  if (!transaction.facts.isOptimistic) return insertReferences(transaction, rows);
  const kindsOf = (index: number) => (references[index]?.targets ?? []).map(({ kind }) => kind).join(",");
  await pipelined(
    rows.map((row, index) =>
      insertCheckedReference(transaction, {
        ...row,
        project,
        kinds: kindsOf(index),
        lent: references[index] && isLendable(references[index]) ? SHARED_PROJECT : "",
      }),
    ),
  );
}

export const referenceRows = (id: string, found: readonly ResolvableReference[]): Database["reference"][] =>
  found.map(({ path, id: target, reference }) => ({
    from_id: id,
    to_id: target,
    field: formatPath(path),
    cascades: reference.cascade ? 1 : 0,
  }));

export const insertReferences = bulkInsertion("reference", ["from_id", "to_id", "field", "cascades"]);

/**
 * For PostgreSQL: without a target of these kinds that may be named in the project the row has none, which
 * the table refuses.
 */
const insertCheckedReference = effect<
  Database["reference"] & { project: string; kinds: string; lent: string }
>((db, parameter) =>
  db.insertInto("reference").values({
    from_id: parameter("from_id"),
    to_id: sql<string>`(select id from resource where id = ${parameter("to_id")} and (project_id = ${parameter("project")} or kind in (${sql.join(NAMED_EVERYWHERE.map((kind) => sql.lit(kind)))}) or project_id in (select resource_id from unique_key where scope = ${parameter("lent")})) and kind = any(string_to_array(${parameter("kinds")}, ',')))`,
    field: parameter("field"),
    cascades: parameter("cascades"),
  }),
);

/** Removes the recorded references of objects. */
export const forgetReferences = (transaction: Transaction, ids: readonly string[]) =>
  inParts(ids, (part) => deleteReferences(transaction, { ids: part }));

const deleteReferences = effect<{ ids: string }>((db, parameter) =>
  db.deleteFrom("reference").where(isListed(db, "from_id", parameter("ids"))),
);

/** The rows of an object's unique keys. */
export const keysOf = (
  id: string,
  { unique }: Definition,
  sent: Parameters<Definition["unique"]>[0],
): Database["unique_key"][] =>
  unique(sent).map(({ scope, key }: UniqueKey) => ({ scope, value: key, resource_id: id }));

/** Sorted, so that writers who claim the same keys wait for each other without a deadlock. */
export const insertUniqueKeys = (
  transaction: Transaction,
  rows: readonly Database["unique_key"][],
): Promise<void> =>
  insertKeys(
    transaction,
    rows.toSorted((a, b) => (a.value < b.value ? -1 : 1)),
  );

const insertKeys = bulkInsertion("unique_key", ["scope", "value", "resource_id"]);

/** Gives up the unique keys of objects. */
export const forgetUniqueKeys = (transaction: Transaction, ids: readonly string[]) =>
  inParts(ids, (part) => deleteUniqueKeys(transaction, { ids: part }));

const deleteUniqueKeys = effect<{ ids: string }>((db, parameter) =>
  db.deleteFrom("unique_key").where(isListed(db, "resource_id", parameter("ids"))),
);

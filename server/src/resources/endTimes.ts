import { type Definition, endTimeOf } from "@tunnelplane/sdk/contract";
import type { Document } from "../documents";
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

/** The rows of an object's end: one, or none for an object that does not end. */
export function endRows(id: string, definition: Definition, sent: Document): Database["ending"][] {
  const at = endTimeOf(definition, sent);
  return at === undefined ? [] : [{ resource_id: id, at }];
}

/** Whether an object ends at another time than before. */
export const isEndChanged = (definition: Definition, before: Document, sent: Document): boolean =>
  endTimeOf(definition, before) !== endTimeOf(definition, sent);

export const insertEnds = bulkInsertion("ending", ["resource_id", "at"]);

export const forgetEnds = (transaction: Transaction, ids: readonly string[]) =>
  inParts(ids, (part) => deleteEnds(transaction, { ids: part }));

const deleteEnds = effect<{ ids: string }>((db, parameter) =>
  db.deleteFrom("ending").where(isListed(db, "resource_id", parameter("ids"))),
);

/** The first objects that have ended, by an index. @param now in milliseconds since 1970 */
export const endedBy: Statement<{ now: number; limit: number }, { resource_id: string }> = statement(
  (db, parameter) =>
    db
      .selectFrom("ending")
      .select("resource_id")
      .where("at", "<=", parameter("now"))
      .orderBy("at")
      .limit(parameter("limit")),
);

/** Those of a list that have ended without an event so far. */
export const stillUnsent: Statement<{ ids: string; now: number }, { resource_id: string }> = statement(
  (db, parameter) =>
    db
      .selectFrom("ending")
      .select("resource_id")
      .where(isListed(db, "resource_id", parameter("ids")))
      .where("at", "<=", parameter("now")),
);

import type { Definition } from "@tunnelplane/sdk/contract";
import { theServerIn } from "../auth";
import type { Document } from "../documents";
import { type ObjectChange, storedAsOf } from "../journal";
import type { Transaction } from "../storage";
import { newId } from "../util";
import { forgetReferences, recordReferences } from "./references";
import { lockWhole, updateDocument } from "./rows";
import { pendingWriteOf } from "./stored";
import type { ChangeRequest, ServerContext } from "./transaction";

/** A request of the server itself. @param project the id of the project that it is about */
export const requestOfServer = (project: string): ChangeRequest => ({
  caller: theServerIn(project),
  operationId: newId("op"),
  client: "",
  dryRun: false,
});

/**
 * Changes fields of an object that the server answers by itself, as an update like any other.
 *
 * @param answered the fields as answers have them
 * @returns whether the object is there
 */
export async function amendByServer(
  { documents }: Pick<ServerContext, "documents">,
  transaction: Transaction,
  changes: ObjectChange[],
  definition: Definition,
  id: string,
  answered: Document,
): Promise<boolean> {
  const [row] = await lockWhole(definition)(transaction, { id });
  if (!row) return false;
  const { document: before } = await documents.readToChange(
    transaction,
    definition,
    row.document,
    `${id} ${row.version}`,
  );
  const after = { ...before, ...answered };
  const { json, stored } = documents.print(definition, after);
  if (json === JSON.stringify(before)) return true;
  const version = row.version + 1;
  await updateDocument(transaction, { id, version, document: stored });
  const [sentBefore, sent] = [documents.sentOf(definition, before), documents.sentOf(definition, after)];
  const write = pendingWriteOf(definition, { id, project: row.project_id, sent, before: sentBefore });
  await forgetReferences(transaction, [id]);
  await recordReferences(transaction, write);
  const storedAs = { ...storedAsOf(row), version };
  changes.push({ change: "updated", definition, id, storedAs, before, after, json, name: row.name });
  return true;
}

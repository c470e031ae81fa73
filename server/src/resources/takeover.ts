import { definitionOfId, holdsUniqueValues, present, waits } from "@tunnelplane/sdk/contract";
import type { ObjectChange } from "../journal";
import { effect, inParts, isListed, statement, type Transaction } from "../storage";
import { RequestError } from "../util";
import { amendByServer } from "./byServer";
import { noLongerLacked } from "./closing";
import { aheadOf, insertReplacement, takeFree, waitingFor } from "./handover";
import { findById } from "./rows";
import type { ServerContext } from "./transaction";

/**
 * After objects were deleted: those that waited for them take over, and those that they replaced get their
 * unique values back, as far as these are free.
 */
export async function takeOver(
  context: Pick<ServerContext, "documents">,
  transaction: Transaction,
  changes: ObjectChange[],
  deleted: readonly string[],
): Promise<void> {
  const ids = deleted.filter((id) => {
    const definition = definitionOfId(id);
    return definition !== undefined && holdsUniqueValues(definition);
  });
  const ended = await inParts(ids, (part) => ofObjects(transaction, { ids: part }));
  if (ended.length === 0) return;
  await inParts(ids, (part) => forget(transaction, { ids: part }));
  const gone = new Set(ids);
  const oldOf = new Map(ended.map(({ old_id, new_id }) => [new_id, old_id]));
  for (const { old_id: id } of ended)
    if (!gone.has(id)) await takeFree(transaction, context.documents, id, []);
  for (const id of oldOf.keys()) {
    if (gone.has(id)) continue;
    let ahead = oldOf.get(id);
    while (ahead !== undefined && gone.has(ahead)) ahead = oldOf.get(ahead);
    if (ahead !== undefined) await insertReplacement(transaction, { old_id: ahead, new_id: id });
    await goOn(context, transaction, changes, { id, ahead });
  }
}

/** Lets an object wait for another one than before, or for none. */
async function goOn(
  context: Pick<ServerContext, "documents">,
  transaction: Transaction,
  changes: ObjectChange[],
  { id, ahead }: { readonly id: string; readonly ahead: string | undefined },
): Promise<void> {
  const definition = present(definitionOfId(id));
  const [row] = await findById(transaction, { id });
  if (!row || !waits(definition)) return;
  const { documents } = context;
  const answered = waitingFor(documents, definition, JSON.parse(row.document), ahead);
  await amendByServer(context, transaction, changes, definition, id, answered);
  if (ahead === undefined) {
    const sent = documents.sentOf(definition, JSON.parse(row.document));
    await noLongerLacked(context, transaction, changes, definition, sent, Object.keys(sent));
  }
  const [lost] = await takeFree(transaction, documents, id, await aheadOf(transaction, id));
  if (lost)
    throw new RequestError(
      "taken",
      `${definition.title} ${id} would take over, but another object holds ${lost.value} by now; change or delete that one first`,
    );
}

const ofObjects = statement<{ ids: string }, { old_id: string; new_id: string }>((db, parameter) =>
  db
    .selectFrom("replacement")
    .select(["old_id", "new_id"])
    .where((where) =>
      where.or([isListed(db, "old_id", parameter("ids")), isListed(db, "new_id", parameter("ids"))]),
    ),
);

const forget = effect<{ ids: string }>((db, parameter) =>
  db
    .deleteFrom("replacement")
    .where((where) =>
      where.or([isListed(db, "old_id", parameter("ids")), isListed(db, "new_id", parameter("ids"))]),
    ),
);

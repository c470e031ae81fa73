import { definitionNamed, hasEnded } from "@tunnelplane/sdk/contract";
import { type ObjectChange, storedAsOf, theServer } from "../journal";
import { KeyRotated } from "../secrets";
import { isListed, type Statement, statement, type Transaction } from "../storage";
import { endedBy, forgetEnds, stillUnsent } from "./endTimes";
import { STORED_COLUMNS, type StoredRow } from "./rows";
import type { ServerContext } from "./transaction";

/** Objects of one transaction: their writers wait for it. */
const AT_ONCE = 100;

type Context = Pick<ServerContext, "store" | "documents" | "keyring" | "journal">;

/**
 * Sends an event for each object that has ended, once for each end that was declared: the row that says so
 * goes in the transaction of the event. Whether an object has ended does not depend on it: that is a matter
 * of the clock, whenever somebody asks.
 *
 * @returns whether all are sent; objects that others hold just now are left to the next time
 */
export async function sendExpiredEvents(context: Context): Promise<boolean> {
  const { store } = context;
  const now = Date.now();
  const ended = await endedBy(store.reader, { now, limit: AT_ONCE });
  if (ended.length === 0) return true;
  const ids = ended.map((row) => row.resource_id);
  try {
    const sent = await store.write((transaction) => sendFor(context, transaction, ids, now));
    return ended.length < AT_ONCE || sent === 0;
  } catch (error) {
    if (error instanceof KeyRotated) return false;
    throw error;
  }
}

async function sendFor(
  { documents, keyring, journal }: Context,
  transaction: Transaction,
  ids: readonly string[],
  now: number,
): Promise<number> {
  const begunUnder = keyring.currentId;
  // Objects first, as writers lock them: so events are in order, and two servers send one only once.
  const rows = await lockFree(transaction, { ids: JSON.stringify(ids) });
  const free = JSON.stringify(rows.map(({ id }) => id));
  const unsent = (await stillUnsent(transaction, { ids: free, now })).map((row) => row.resource_id);
  await forgetEnds(transaction, unsent);
  const changes: ObjectChange[] = [];
  for (const { id, kind, document, ...row } of rows) {
    const definition = definitionNamed(kind);
    if (!unsent.includes(id)) continue;
    const { document: after } = await documents.readToChange(
      transaction,
      definition,
      document,
      `${id} ${row.version}`,
    );
    if (!hasEnded(definition, after, now)) continue;
    // The object stays as it is stored, also where that lacks fields of today.
    const json = await documents.open(transaction, definition, document);
    changes.push({ change: "expired", definition, id, storedAs: storedAsOf(row), after, json });
  }
  await journal.append(transaction, begunUnder, theServer(), changes);
  return unsent.length;
}

const lockFree: Statement<{ ids: string }, StoredRow> = statement((db, parameter) =>
  db
    .selectFrom("resource")
    .select([...STORED_COLUMNS, "document"])
    .where(isListed(db, "id", parameter("ids")))
    .orderBy("id")
    .forUpdate()
    .skipLocked(),
);

import { definitionNamed } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import type { Documents } from "../documents";
import type { Keyring } from "../secrets";
import type { Database, Store, Transaction } from "../storage";
import { Digests, keepAuditKey, newAuditKey, openDigests, storedAsOf } from "./digests";
import { Journal } from "./journal";
import { theServer } from "./payload";

/** The action of the audit row that covers the baseline. */
export const BASELINE_RECORDED = "baseline_recorded";

// An event may have two megabytes, so a page is small.
const PAGE = 50;

interface Parts {
  readonly store: Store;
  readonly keyring: Keyring;
  readonly documents: Documents;
  readonly accountId: string;
}

/**
 * Opens the digests for a server. The first start of a version with digests makes their key and records the
 * existing content in the table `baseline`, which a row of the audit log covers. Earlier tampering cannot be
 * detected. Writers wait meanwhile; if several servers start, one of them does it.
 */
export async function digestsToServeWith({ store, keyring, documents, accountId }: Parts): Promise<Digests> {
  const known = await openDigests(store.reader, keyring);
  if (known.exist) return known;
  const recorded = async (transaction: Transaction): Promise<Digests> => {
    const begunUnder = keyring.currentId;
    await keyring.lockHead(transaction, begunUnder);
    const found = await openDigests(transaction, keyring);
    if (found.exist) return found;
    const key = newAuditKey();
    const digests = new Digests(key);
    await keepAuditKey(transaction, keyring, key);
    const rows =
      (await recordObjects(transaction, documents, digests)) + (await recordEvents(transaction, digests));
    if (rows > 0) {
      const act = { action: BASELINE_RECORDED, digest: await digestOfBaseline(transaction, digests) };
      await new Journal(documents, keyring, digests, accountId, NOTHING_FOLLOWS).append(
        transaction,
        begunUnder,
        theServer(),
        [act],
      );
    }
    return digests;
  };
  return store.write(recorded, { alone: true });
}

/** The digest of the baseline, which the audit row covers. */
export async function digestOfBaseline(db: Kysely<Database>, digests: Digests): Promise<string | undefined> {
  const list = digests.ofList();
  for (let after = ""; list; ) {
    const page = await db
      .selectFrom("baseline")
      .selectAll()
      .where("id", ">", after)
      .orderBy("id")
      .limit(PAGE)
      .execute();
    for (const { id, digest } of page) list.update(`${JSON.stringify([id, digest])}\n`);
    const last = page.at(-1);
    if (!last) break;
    after = last.id;
  }
  return list?.digest("base64url");
}

const recordObjects = (transaction: Transaction, documents: Documents, digests: Digests): Promise<number> =>
  recordPages(transaction, async (after) => {
    const found: Recorded[] = [];
    const rows = transaction.selectFrom("resource").selectAll().where("id", ">", after).orderBy("id");
    for (const { id, kind, document, ...row } of await rows.limit(PAGE).execute()) {
      const definition = definitionNamed(kind);
      const opened = await documents.unsealed(transaction, definition, document);
      found.push({ id, digest: digests.ofObject(definition, storedAsOf(row), opened) });
    }
    return found;
  });

const recordEvents = (transaction: Transaction, digests: Digests): Promise<number> =>
  recordPages(transaction, async (after) => {
    const rows = transaction.selectFrom("event").selectAll().where("id", ">", after).orderBy("id");
    return (await rows.limit(PAGE).execute()).map((row) => ({ id: row.id, digest: digests.ofEvent(row) }));
  });

/** Records page by page. Returns how many there were. */
async function recordPages(
  transaction: Transaction,
  pageAfter: (id: string) => Promise<Recorded[]>,
): Promise<number> {
  let count = 0;
  for (let after = ""; ; ) {
    const found = await pageAfter(after);
    const last = await record(transaction, found);
    if (last === undefined) return count;
    count += found.length;
    after = last;
  }
}

interface Recorded {
  readonly id: string;
  readonly digest: string | null;
}

/** Returns the last id, or undefined for an empty page. */
async function record(transaction: Transaction, page: readonly Recorded[]): Promise<string | undefined> {
  const rows = page.flatMap(({ id, digest }) => (digest === null ? [] : [{ id, digest }]));
  if (rows.length > 0) await transaction.insertInto("baseline").values(rows).execute();
  return rows.at(-1)?.id;
}

/** The baseline changes no object, so no subscription follows it. */
const NOTHING_FOLLOWS = { kinds: [], follow: async () => undefined };

import { definitionNamed, holdsSecrets, registry } from "@tunnelplane/sdk/contract";
import { locationOf, type ServerContext } from "../resources";
import type { Transaction } from "../storage";

// Small, because writers wait while a page is sealed.
const PAGE = 100;

/**
 * Seals under the current key all texts under another key. Returns how many. Throws KeyRotated if
 * another process rotates.
 */
export async function sealAll(context: ServerContext): Promise<number> {
  return (await sealDocuments(context)) + (await sealSecrets(context)) + (await sealAnswers(context));
}

async function sealDocuments({ store, documents, keyring }: ServerContext): Promise<number> {
  const kinds = registry.filter(holdsSecrets).map(({ kind }) => kind);
  let sealed = 0;
  for (let after: string | undefined = ""; after !== undefined; ) {
    const page = store.reader
      .selectFrom("resource")
      .select("id")
      .where("kind", "in", kinds)
      .orderBy("id")
      .limit(PAGE);
    const ids: string[] = (await page.where("id", ">", after).execute()).map(({ id }) => id);
    sealed += await store.write(async (transaction) => {
      const begunUnder = keyring.currentId;
      let count = 0;
      const rows = transaction
        .selectFrom("resource")
        .select(["id", "kind", "document"])
        .where("id", "in", ids)
        .orderBy("id");
      for (const row of ids.length > 0 ? await rows.forUpdate().execute() : []) {
        const definition = definitionNamed(row.kind);
        const secrets = row.document.match(/"sealed:[\w-]+\.[\w-]+"/g) ?? [];
        if (secrets.length > 0 && secrets.every((secret) => keyring.isCurrent(secret.slice(1)))) continue;
        const document = documents.seal(
          definition,
          JSON.parse(await documents.open(transaction, definition, row.document)),
        );
        if (document === row.document) continue;
        await transaction.updateTable("resource").set({ document }).where("id", "=", row.id).execute();
        count++;
      }
      await keyring.requireCurrent(transaction, begunUnder);
      return count;
    });
    after = ids.at(-1);
  }
  return sealed;
}

const sealSecrets = (context: ServerContext): Promise<number> =>
  sealTexts(context, {
    stale: (transaction) =>
      transaction
        .selectFrom("sealed_secret")
        .selectAll()
        .where("value", "not like", context.keyring.currentPattern)
        .limit(PAGE)
        .forUpdate()
        .execute(),
    locationOf: (row) => `${row.resource_id}/${row.name}`,
    sealedOf: (row) => row.value,
    replace: (transaction, { resource_id, name }, value) =>
      transaction
        .updateTable("sealed_secret")
        .set({ value })
        .where("resource_id", "=", resource_id)
        .where("name", "=", name)
        .execute(),
  });

const sealAnswers = (context: ServerContext): Promise<number> =>
  sealTexts(context, {
    stale: (transaction) =>
      transaction
        .selectFrom("idempotency_key")
        .selectAll()
        .where("answer", "not like", context.keyring.currentPattern)
        .limit(PAGE)
        .forUpdate()
        .execute(),
    locationOf: (row) => locationOf({ project: row.project_id, ownerId: row.owner_id, key: row.key }),
    sealedOf: (row) => row.answer,
    replace: (transaction, { project_id, owner_id, key }, answer) =>
      transaction
        .updateTable("idempotency_key")
        .set({ answer })
        .where("project_id", "=", project_id)
        .where("owner_id", "=", owner_id)
        .where("key", "=", key)
        .execute(),
  });

/** A table whose rows hold one sealed text each. */
interface SealedTable<R> {
  /** Locks and reads a page of rows that are not sealed under the current key. */
  stale(transaction: Transaction): Promise<R[]>;
  /** The location to which a row's text is sealed. */
  locationOf(row: R): string;
  sealedOf(row: R): string;
  replace(transaction: Transaction, row: R, sealed: string): Promise<unknown>;
}

async function sealTexts<R>(
  { store, keyring }: ServerContext,
  { stale, locationOf, sealedOf, replace }: SealedTable<R>,
): Promise<number> {
  for (let sealed = 0; ; ) {
    const count = await store.write(async (transaction) => {
      const begunUnder = keyring.currentId;
      const rows = await stale(transaction);
      for (const row of rows) {
        const location = locationOf(row);
        const text = await keyring.opening(transaction, () => keyring.open(location, sealedOf(row)));
        await replace(transaction, row, keyring.seal(location, text));
      }
      await keyring.requireCurrent(transaction, begunUnder);
      return rows.length;
    });
    sealed += count;
    if (count < PAGE) return sealed;
  }
}

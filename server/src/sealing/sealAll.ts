import { definitionOf, holdsSecrets, registry } from "@tunnelplane/sdk/contract";
import type { Core } from "../changes";
import { placeOf } from "../idempotency";

// Writers wait while a page is sealed, so a page is small.
const PAGE = 100;

/** Seals under the key in use everything that is not: what older versions stored in clear, and what another key sealed. Returns how many rows. Throws KeyRotated when another process rotates meanwhile. */
export async function sealAll(core: Core): Promise<number> {
  return (await sealDocuments(core)) + (await sealSecrets(core)) + (await sealAnswers(core));
}

/** The setting that says that nothing in the database is in clear any more. */
const SEALED = "sealed_at_rest";

/** Seals what a version without sealing stored, once. */
export async function sealWhatIsClear(core: Core): Promise<void> {
  const { store } = core;
  const done = await store.reader.selectFrom("setting").select("value").where("name", "=", SEALED).executeTakeFirst();
  if (done) return;
  await sealAll(core);
  const setting = { name: SEALED, value: new Date().toISOString() };
  await store.write((transaction) =>
    transaction
      .insertInto("setting")
      .values(setting)
      .onConflict((conflict) => conflict.column("name").doNothing())
      .execute(),
  );
}

async function sealDocuments({ store, documents, keyring }: Core): Promise<number> {
  const kinds = registry.filter(holdsSecrets).map(({ kind }) => kind);
  let sealed = 0;
  for (let after: string | undefined = ""; after !== undefined; ) {
    const page = store.reader.selectFrom("resource").select("id").where("kind", "in", kinds).orderBy("id").limit(PAGE);
    const ids: string[] = (await page.where("id", ">", after).execute()).map(({ id }) => id);
    sealed += await store.write(async (transaction) => {
      const begunUnder = keyring.currentId;
      let count = 0;
      const rows = transaction.selectFrom("resource").select(["id", "kind", "document"]).where("id", "in", ids).orderBy("id");
      for (const row of ids.length > 0 ? await rows.forUpdate().execute() : []) {
        const definition = definitionOf(row.kind);
        const secrets = row.document.match(/"sealed:[\w-]+\.[\w-]+"/g) ?? [];
        if (secrets.length > 0 && secrets.every((secret) => keyring.isCurrent(secret.slice(1)))) continue;
        const document = documents.seal(definition, JSON.parse(await documents.open(transaction, definition, row.document)));
        if (document === row.document) continue;
        await transaction.updateTable("resource").set({ document }).where("id", "=", row.id).execute();
        count++;
      }
      await keyring.lockHead(transaction, begunUnder);
      return count;
    });
    after = ids.at(-1);
  }
  return sealed;
}

async function sealSecrets({ store, keyring }: Core): Promise<number> {
  return inPages(() =>
    store.write(async (transaction) => {
      const begunUnder = keyring.currentId;
      const stale = transaction.selectFrom("sealed_secret").selectAll().where("value", "not like", keyring.currentPattern).limit(PAGE);
      const rows = await stale.forUpdate().execute();
      for (const { resource_id, name, value } of rows) {
        const place = `${resource_id}/${name}`;
        const secret = await keyring.opening(transaction, () => keyring.open(place, value));
        const update = transaction.updateTable("sealed_secret").set({ value: keyring.seal(place, secret) });
        await update.where("resource_id", "=", resource_id).where("name", "=", name).execute();
      }
      await keyring.lockHead(transaction, begunUnder);
      return rows.length;
    }),
  );
}

async function sealAnswers({ store, keyring }: Core): Promise<number> {
  return inPages(() =>
    store.write(async (transaction) => {
      const begunUnder = keyring.currentId;
      const stale = transaction.selectFrom("idempotency_key").selectAll().where("answer", "not like", keyring.currentPattern).limit(PAGE);
      const rows = await stale.forUpdate().execute();
      for (const { owner_id, key, answer } of rows) {
        const place = placeOf(owner_id, key);
        const text = await keyring.opening(transaction, () => keyring.open(place, answer));
        const update = transaction.updateTable("idempotency_key").set({ answer: keyring.seal(place, text) });
        await update.where("owner_id", "=", owner_id).where("key", "=", key).execute();
      }
      await keyring.lockHead(transaction, begunUnder);
      return rows.length;
    }),
  );
}

async function inPages(sealPage: () => Promise<number>): Promise<number> {
  for (let sealed = 0; ; ) {
    const count = await sealPage();
    sealed += count;
    if (count < PAGE) return sealed;
  }
}

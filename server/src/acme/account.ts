import type { Kysely } from "kysely";
import type { ServerContext } from "../resources";
import type { Keyring } from "../secrets";
import type { Database, Store, Transaction } from "../storage";
import type { Account, AcmeClient } from "./client";

/** The setting that holds the account, sealed under the data key in use. */
const SETTING = "acme_account";
const PLACE = `setting/${SETTING}`;

/** The account at the authority of a directory; makes and keeps one if there is none. */
export async function accountAt(
  { store, keyring }: Pick<ServerContext, "store" | "keyring">,
  client: AcmeClient,
  directory: string,
): Promise<Account> {
  const known = await readAccount(store.reader, keyring);
  if (known?.directory === directory) return known;
  const account = await client.newAccount();
  await store.write(async (transaction) => {
    const begunUnder = keyring.currentId;
    await keepAccount(transaction, keyring, account);
    await keyring.requireCurrent(transaction, begunUnder);
  });
  return account;
}

async function readAccount(db: Kysely<Database>, keyring: Keyring): Promise<Account | undefined> {
  const row = await db.selectFrom("setting").select("value").where("name", "=", SETTING).executeTakeFirst();
  return row && JSON.parse(await keyring.opening(db, () => keyring.open(PLACE, row.value)));
}

async function keepAccount(
  transaction: Transaction,
  keyring: Keyring,
  account: Account,
  keyId?: string,
): Promise<void> {
  const value = keyring.seal(PLACE, JSON.stringify(account), keyId);
  await transaction
    .insertInto("setting")
    .values({ name: SETTING, value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
    .execute();
}

/** Seals the account under another data key. */
export async function sealAccount(transaction: Transaction, keyring: Keyring, keyId: string): Promise<void> {
  const account = await readAccount(transaction, keyring);
  if (account) await keepAccount(transaction, keyring, account, keyId);
}

/** Has the next order make an account: the authority no longer knows this one. */
export async function forgetAccount(store: Store): Promise<void> {
  await store.write((transaction) => transaction.deleteFrom("setting").where("name", "=", SETTING).execute());
}

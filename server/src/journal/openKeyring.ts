import { counted } from "@tunnelplane/sdk/contract";
import { createMasterKey, findMasterKey, Keyring, type MasterKeyOptions } from "../secrets";
import type { Store } from "../storage";
import { keepAuditKey } from "./digests";
import { headText } from "./head";
import { GENESIS } from "./rows";

/** A new database has this setting until its first start; nothing writes it again. */
const FIRST_START = "first_start";

/** Whether a database has keys; false before its first start. Throws if its keys were removed. */
export async function isBegun({ reader, label }: Pick<Store, "reader" | "label">): Promise<boolean> {
  // One statement, because another server may start for the first time in between.
  const { key, head, pending } = await reader
    .selectNoFrom(({ selectFrom }) => [
      selectFrom("sealing_key").select("id").limit(1).as("key"),
      selectFrom("audit_head").select("id").as("head"),
      selectFrom("setting").select("name").where("name", "=", FIRST_START).as("pending"),
    ])
    .executeTakeFirstOrThrow();
  if (key !== null) return true;
  if (pending !== null && head === null) return false;
  const { objects } = await reader
    .selectFrom("resource")
    .select(({ fn }) => fn.countAll<number>().as("objects"))
    .executeTakeFirstOrThrow();
  throw new Error(
    `The table sealing_key of ${label} is empty, beside ${counted(Number(objects), "object")}: its keys were removed, so nobody can open its secrets or say that its audit log is whole. Nothing was changed, and no new keys were made; restore a backup with "tunnelplane restore"`,
  );
}

/**
 * Opens the data keys.
 *
 * @param begun whether there are any; if not, makes the first one, and a master key if there is none
 */
export async function openKeyring(store: Store, options: MasterKeyOptions, begun: boolean): Promise<Keyring> {
  const found = findMasterKey(options);
  if (!found && begun) {
    throw new Error(
      `The secrets in ${store.label} are sealed under a master key, and there is none here: set TUNNELPLANE_MASTER_KEY, or put the file back that --master-key-file names (${options.file})`,
    );
  }
  // The master key first, then the data key: a server that starts at the same time does the same.
  const keyring = new Keyring(found ?? createMasterKey(options.file));
  if (!begun) await begin(store, keyring);
  await keyring.load(store.reader);
  return keyring;
}

/**
 * Makes the first data key and the key of digests, and begins the audit log. Another server that starts at
 * the same time may be faster.
 */
async function begin(store: Store, keyring: Keyring): Promise<void> {
  await store.write(async (transaction) => {
    const { numDeletedRows } = await transaction
      .deleteFrom("setting")
      .where("name", "=", FIRST_START)
      .executeTakeFirst();
    if (numDeletedRows === 0n) return;
    const id = keyring.make();
    await transaction
      .insertInto("audit_head")
      .values({ id: 1, sequence: 0, hash: GENESIS, key_id: id, mac: keyring.sign(id, headText(0, GENESIS)) })
      .execute();
    await transaction.insertInto("sealing_key").values(keyring.rowOf(id)).execute();
    await keepAuditKey(transaction, keyring, id);
  });
}

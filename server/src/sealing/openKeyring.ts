import { GENESIS } from "../journal/auditRow";
import { headText } from "../journal/journal";
import type { Store } from "../storage/store";
import { Keyring } from "./keyring";
import { createMasterKey, findMasterKey, type MasterKeyOptions } from "./masterKey";

/** The data keys of a database. Makes the first one, and a master key, on the first start only. */
export async function openKeyring(store: Store, options: MasterKeyOptions): Promise<Keyring> {
  // In this order: a server that starts at the same time makes the master key before it makes a data key.
  const keys = await store.reader.selectFrom("sealing_key").select("master_id").execute();
  const found = findMasterKey(options);
  if (!found && keys.length > 0) {
    throw new Error(
      `The secrets in ${store.place} are sealed under a master key, and there is none here: set TUNNELPLANE_MASTER_KEY, or put the file back that --master-key-file names (${options.file})`,
    );
  }
  const keyring = new Keyring(found ?? createMasterKey(options.file));
  if (keys.length === 0) await begin(store, keyring);
  await keyring.load(store.reader);
  return keyring;
}

/** The first data key, and the beginning of the audit log. Another server that starts at the same time may be faster. */
async function begin(store: Store, keyring: Keyring): Promise<void> {
  await store.write(async (transaction) => {
    const id = keyring.make();
    const { numInsertedOrUpdatedRows } = await transaction
      .insertInto("audit_head")
      .values({ id: 1, sequence: 0, hash: GENESIS, key_id: id, mac: keyring.sign(id, headText(0, GENESIS)) })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows === 0n) return;
    await transaction.insertInto("sealing_key").values(keyring.rowOf(id)).execute();
  });
}

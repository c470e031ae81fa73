import { sealAccount } from "../acme";
import { commandLine, headText, sealAuditKey } from "../journal";
import type { ServerContext } from "../resources";
import type { MasterKey } from "../secrets";
import type { Database, Transaction } from "../storage";
import { sealAll } from "./sealAll";

/**
 * Makes a new data key, seals every secret under it, and removes the old data keys and all other master keys.
 * Running servers notice it on their next write, or on the next secret that they read. Returns how many rows
 * were sealed.
 */
export async function rotate(context: ServerContext): Promise<number> {
  const { store, keyring, journal } = context;
  const id = keyring.make();
  // Alone, so that every secret and every row of the inbox is under a key that the transaction can see.
  const work = async (transaction: Transaction) => {
    await journal.append(transaction, keyring.currentId, commandLine(), [{ action: "data_key_rotated" }]);
    await transaction.insertInto("sealing_key").values(keyring.rowOf(id)).execute();
    await sealAuditKey(transaction, keyring, id);
    await sealAccount(transaction, keyring, id);
    const { sequence, hash } = await transaction
      .selectFrom("audit_head")
      .select(["sequence", "hash"])
      .executeTakeFirstOrThrow();
    // From here on, no writer can commit a secret sealed under the old key; see Journal.append.
    await transaction
      .updateTable("audit_head")
      .set({ key_id: id, mac: keyring.sign(id, headText(sequence, hash)) })
      .execute();
  };
  await store.write(work, { alone: true });
  await keyring.load(store.reader);
  const sealed = await sealAll(context);
  await store.write(async (transaction) => {
    await keyring.requireCurrent(transaction, id);
    await forgetOthers(transaction, keyring.rowOf(id));
  });
  return sealed;
}

/**
 * Wraps the data keys under another master key too, so that servers can start with it. A rotation under it
 * removes the old one.
 */
export async function addMasterKey(
  { store, keyring, journal }: ServerContext,
  master: MasterKey,
): Promise<void> {
  await store.write(async (transaction) => {
    const rows = await transaction.selectFrom("sealing_key").select("id").distinct().execute();
    for (const { id } of rows) {
      await transaction
        .insertInto("sealing_key")
        .values(keyring.rowOf(id, master))
        .onConflict((conflict) => conflict.columns(["id", "master_id"]).doNothing())
        .execute();
    }
    await journal.append(transaction, keyring.currentId, commandLine(), [{ action: "master_key_added" }]);
  });
}

const forgetOthers = (transaction: Transaction, kept: Database["sealing_key"]) =>
  transaction
    .deleteFrom("sealing_key")
    .where(({ or, eb }) => or([eb("id", "!=", kept.id), eb("master_id", "!=", kept.master_id)]))
    .execute();

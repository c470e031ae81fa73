import { join } from "node:path";
import type { Core } from "./changes";
import { Documents } from "./documents";
import { factsOf } from "./facts";
import { Journal } from "./journal/journal";
import { openKeyring } from "./sealing/openKeyring";
import { type DatabaseOptions, openStore } from "./storage/open";

export interface CoreOptions extends DatabaseOptions {
  /** How many connections to PostgreSQL there may be. */
  readonly databasePool: number;
  /** The master key itself, instead of a file. */
  readonly masterKey?: string;
  /** The file of the master key. Default: `master.key` in the data folder. */
  readonly masterKeyFile?: string;
}

/** Opens a database and what it takes to read and change what is in it. Makes what is missing on the first start. */
export async function openCore(options: CoreOptions): Promise<Core> {
  const store = await openStore(options);
  try {
    const { placeholder, accountId } = await factsOf(store);
    const file = options.masterKeyFile ?? join(options.data, "master.key");
    const keyring = await openKeyring(store, { text: options.masterKey, file });
    const documents = new Documents(placeholder, keyring);
    return { store, keyring, documents, journal: new Journal(documents, keyring, accountId) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

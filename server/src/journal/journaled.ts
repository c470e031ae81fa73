import { KeyRotated, type Keyring } from "../secrets";
import type { Store, Transaction } from "../storage";

/**
 * Runs a transaction that ends in the journal; runs it again if the data key changed meanwhile.
 * @param work gets the data key under which it began, for {@link Journal.append}
 */
export async function journaled<T>(
  { store, keyring }: { readonly store: Store; readonly keyring: Keyring },
  work: (transaction: Transaction, begunUnder: string) => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await store.write((transaction) => work(transaction, keyring.currentId));
    } catch (error) {
      if (!(error instanceof KeyRotated)) throw error;
    }
  }
}

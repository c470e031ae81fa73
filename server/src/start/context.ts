import { join } from "node:path";
import { newChangeSetBudget } from "../changesets";
import { Compute } from "../compute";
import { Documents } from "../documents";
import { subscriptions } from "../events";
import { Guarantees } from "../exposure";
import { isBegun, Journal, openDigests, openKeyring, Sequencer } from "../journal";
import type { NameSettings, ServerContext } from "../resources";
import { factsOf, openStore, type StoreOptions } from "../storage";
import { newLargeReads } from "../util";
import { Search } from "../view";

export interface ContextOptions extends StoreOptions, Partial<NameSettings> {
  /** The base address for answers. Default: the address that the client used. */
  readonly publicUrl?: string;
  /** The master key itself, instead of a file. */
  readonly masterKey?: string;
  /** The file of the master key. Default: `master.key` in the data folder. */
  readonly masterKeyFile?: string;
  /** Whether the server may read from addresses that are not on the internet. Default: false. */
  readonly allowPrivateTargets?: boolean;
}

/** Opens a database and its keys. Creates what is missing on the first start, unless `existing` is set. */
export async function openContext(options: ContextOptions): Promise<ServerContext> {
  const store = await openStore(options);
  try {
    const begun = await isBegun(store);
    if (!begun && options.existing)
      throw new Error(
        `${store.label} was never served: there is nothing in it. Nothing was made; start the server first`,
      );
    const { placeholder, accountId } = await factsOf(store, begun);
    const file = options.masterKeyFile ?? join(options.data, "master.key");
    const keyring = await openKeyring(store, { text: options.masterKey, file }, begun);
    const documents = new Documents(placeholder, keyring);
    const digests = await openDigests(store.reader, keyring);
    const compute = new Compute(options.allowPrivateTargets);
    const sequencer = new Sequencer(store, keyring);
    return {
      store,
      keyring,
      documents,
      journal: new Journal(documents, keyring, digests, accountId, subscriptions),
      sequencer,
      compute,
      guard: new Guarantees({ store, documents, compute }),
      search: new Search(store, sequencer),
      changeSets: newChangeSetBudget(),
      largeReads: newLargeReads(),
      names: namesFrom(options),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The ports of reserved addresses where nobody chose others. */
const TCP_PORTS = { first: 20_000, last: 29_999 };

const namesFrom = ({ publicUrl, tcpAddress, tcpPorts, ...names }: ContextOptions): NameSettings => ({
  ...names,
  tcpAddress: tcpAddress ?? (publicUrl === undefined ? "localhost" : new URL(publicUrl).hostname),
  tcpPorts: tcpPorts ?? TCP_PORTS,
});

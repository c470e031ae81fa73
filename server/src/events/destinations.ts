import type { Answers, EventDestinationTarget } from "@tunnelplane/sdk";
import { definitionOf, messageOf } from "@tunnelplane/sdk/contract";
import type { ServerContext } from "../resources";
import { type DeliveryTarget, TargetError, type TargetOptions } from "./targets";
import { TargetThread } from "./targets/thread";

interface DestinationsOptions {
  readonly targetOptions: TargetOptions;
  /** Opens a destination's target. Default: the real one, in its own thread. */
  readonly openTarget?: (target: EventDestinationTarget, options: TargetOptions) => DeliveryTarget;
}

export interface DispatcherOptions extends DestinationsOptions {
  /** The base address for the addresses in events. */
  readonly address: () => string;
  readonly logger: { error(details: object, message: string): void };
  /** Default: the clock. */
  readonly now?: () => Date;
  /** From 0 up to 1. Default: Math.random. */
  readonly random?: () => number;
}

interface Opened {
  readonly version: number;
  readonly target: DeliveryTarget;
  users: number;
  outdated: boolean;
}

/** Keeps the targets of destinations open, and reopens a target when its destination changes. */
export class Destinations {
  readonly #opened = new Map<string, Opened>();
  readonly #openTarget: NonNullable<DestinationsOptions["openTarget"]>;

  constructor(
    private readonly context: Pick<ServerContext, "store" | "documents">,
    private readonly options: DestinationsOptions,
  ) {
    this.#openTarget = options.openTarget ?? new TargetThread().openTarget;
  }

  /** Works with a destination's current target. Returns undefined if the destination was deleted. */
  async use<T>(id: string, work: (target: DeliveryTarget) => Promise<T>): Promise<T | undefined> {
    const row = await this.context.store.reader
      .selectFrom("resource")
      .select(["version", "document"])
      .where("id", "=", id)
      .executeTakeFirst();
    if (!row) return this.#outdate(id);
    const opened = await this.#open(id, row);
    opened.users++;
    try {
      return await work(opened.target);
    } finally {
      opened.users--;
      closeUnused(opened);
    }
  }

  close(): void {
    for (const id of this.#opened.keys()) this.#outdate(id);
  }

  async #open(id: string, { version, document }: { version: number; document: string }): Promise<Opened> {
    const known = this.#opened.get(id);
    if (known?.version === version) return known;
    const opened = {
      version,
      target: await this.#targetOf(document, `${id} ${version}`),
      users: 0,
      outdated: false,
    };
    this.#outdate(id);
    this.#opened.set(id, opened);
    return opened;
  }

  async #targetOf(document: string, version: string): Promise<DeliveryTarget> {
    const { documents, store } = this.context;
    try {
      const destination: Answers["event_destination"] = JSON.parse(
        await documents.read(store.reader, definitionOf("event_destination"), document, version),
      );
      return this.#openTarget(destination.target, this.options.targetOptions);
    } catch (error) {
      return unusable(error);
    }
  }

  #outdate(id: string): undefined {
    const opened = this.#opened.get(id);
    if (!opened) return;
    this.#opened.delete(id);
    opened.outdated = true;
    closeUnused(opened);
  }
}

function closeUnused({ target, users, outdated }: Opened): void {
  if (outdated && users === 0) target.close();
}

/**
 * Stands in for a target that cannot be opened. Its events fail with the reason and are retried, because an
 * admin may fix it.
 */
const unusable = (error: unknown): DeliveryTarget => ({
  limits: { count: 500, bytes: Number.POSITIVE_INFINITY, recordBytes: Number.POSITIVE_INFINITY },
  atomic: false,
  sizeOf: () => 0,
  send: async () => {
    throw error instanceof TargetError ? error : new TargetError(`cannot be opened: ${messageOf(error)}`);
  },
  close: () => undefined,
});

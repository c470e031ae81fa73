import { definitionOf } from "@tunnelplane/sdk/contract";
import { Dispatcher, type DispatcherOptions } from "../../server/src/events/dispatcher";
import { fanOut } from "../../server/src/events/fanOut";
import type { Outgoing, Target } from "../../server/src/events/targets";
import type { Sent } from "../../server/src/events/targets/target";
import { newId } from "../../server/src/ids";
import type { DeliveryRow } from "../../server/src/storage/schema";
import { openPostgres } from "../../server/src/storage/postgres";
import { openSqlite } from "../../server/src/storage/sqlite";
import type { Store } from "../../server/src/storage/store";

export const TYPE = "ip_policy_updated.v0";

/** What a stand-in does with a batch; what it takes in arrives. */
export type Behaviour = (batch: readonly Outgoing[], take: (event: Outgoing) => void, signal: AbortSignal) => Promise<Sent[]> | Sent[];

export const takeAll: Behaviour = (batch, take) =>
  batch.map((event): Sent => {
    take(event);
    return { ok: true };
  });

/** Stands in for a service that events go to: it does what it is told, and remembers what arrived. */
export class StandInTarget implements Target {
  readonly arrived: Outgoing[] = [];
  readonly batches: (readonly Outgoing[])[] = [];
  behaviour: Behaviour = takeAll;
  limits = { count: 10, bytes: 1_000_000, recordBytes: 100_000 };
  atomic = false;

  sizeOf({ body }: Outgoing): number {
    return body.length;
  }

  async send(batch: readonly Outgoing[], signal: AbortSignal): Promise<Sent[]> {
    this.batches.push(batch);
    return this.behaviour(batch, (event) => void this.arrived.push(event), signal);
  }

  close(): void {}

  /** The bodies that arrived of each object, each the first time only. */
  get firstByObject(): Map<string, string[]> {
    const objects = new Map<string, string[]>();
    const seen = new Set<string>();
    for (const { id, key, body } of this.arrived) {
      if (seen.has(id)) continue;
      seen.add(id);
      objects.set(key, [...(objects.get(key) ?? []), body]);
    }
    return objects;
  }
}

/** A real database with destinations whose services are stand-ins, and a clock that goes when it is told to. */
export class World {
  now = new Date("2026-01-01T00:00:00.000Z");
  readonly targets = new Map<string, StandInTarget>();
  readonly dispatchers: Dispatcher[] = [];
  #sequence = 0;

  private constructor(readonly store: Store) {}

  static async open(data: string): Promise<World> {
    return new World(data.startsWith("postgres:") ? await openPostgres({ url: data, pool: 10 }) : await openSqlite(data));
  }

  async close(): Promise<void> {
    for (const dispatcher of this.dispatchers) await dispatcher.stop(0);
    await this.store.close();
  }

  pass(ms: number): void {
    this.now = new Date(this.now.getTime() + ms);
  }

  dispatcher(options: Partial<DispatcherOptions> = {}): Dispatcher {
    const dispatcher = new Dispatcher(this.store, {
      now: () => this.now,
      random: () => 0.5,
      open: async (document) => JSON.parse(document),
      openTarget: (target) => this.targets.get(target as unknown as string) as Target,
      targetOptions: {},
      bodyOf: (payload) => payload,
      logger: { error: (details: unknown) => console.error(details), warn: () => undefined } as unknown as DispatcherOptions["logger"],
      ...options,
    });
    this.dispatchers.push(dispatcher);
    return dispatcher;
  }

  /** A destination, and a subscription that sends it the events of these types. */
  async destination({ types = [TYPE], ...properties }: Partial<StandInTarget> & { types?: string[] } = {}): Promise<{
    id: string;
    subscription: string;
    target: StandInTarget;
  }> {
    const id = newId("ed");
    const target = Object.assign(new StandInTarget(), properties);
    this.targets.set(id, target);
    await this.#insert("event_destination", id, { id, target: id });
    return { id, target, subscription: await this.subscribe([id], types) };
  }

  async subscribe(destinations: readonly string[], types: readonly string[]): Promise<string> {
    const id = newId("esb");
    const document = { id, sources: types.map((type) => ({ type })), destinations: destinations.map((to) => ({ id: to })) };
    await this.#insert("event_subscription", id, document);
    return id;
  }

  async unsubscribe(id: string): Promise<void> {
    await this.store.write(async (transaction) => {
      const { document } = await transaction.selectFrom("resource").select("document").where("id", "=", id).executeTakeFirstOrThrow();
      await transaction.deleteFrom("resource").where("id", "=", id).execute();
      await this.#record(transaction, "event_subscription", id, { before: JSON.parse(document) });
    });
  }

  /** Commits changes of these objects, in this order; each event says which change of its object it is. */
  async change(...objects: readonly string[]): Promise<void> {
    await this.store.write(async (transaction) => {
      for (const id of objects) await this.#record(transaction, "ip_policy", id, { before: {}, after: {} });
    });
  }

  deliveries(destination: string): Promise<DeliveryRow[]> {
    return this.store.reader.selectFrom("delivery").selectAll().where("destination_id", "=", destination).orderBy("sequence").execute();
  }

  async #insert(kind: string, id: string, document: object): Promise<void> {
    await this.store.write(async (transaction) => {
      const row = { id, kind, owner_id: "usr_1", version: 1, document: JSON.stringify(document) };
      await transaction.insertInto("resource").values(row).execute();
      await this.#record(transaction, kind, id, { after: document as Record<string, unknown> });
    });
  }

  async #record(
    transaction: Store["reader"],
    kind: string,
    id: string,
    documents: { before?: Record<string, unknown>; after?: Record<string, unknown> },
  ): Promise<void> {
    const { before, after } = documents;
    const sequence = ++this.#sequence;
    const definition = definitionOf(kind);
    const change = !before ? "created" : after ? "updated" : "deleted";
    const row = { sequence, id: newId("ev"), type: `${kind}_${change}.v0`, object_id: id };
    await transaction.insertInto("event").values({ ...row, created_at: this.now.toISOString(), payload: `${sequence}` }).execute();
    await fanOut(transaction, [{ sequence, change: { definition, id, change, before, after } }], this.now);
  }
}

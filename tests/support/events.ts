import { definitionNamed, present } from "@tunnelplane/sdk/contract";
import { ApiKeys } from "../../server/src/auth/apiKeys";
import { bootstrap } from "../../server/src/auth/bootstrap";
import type { Caller } from "../../server/src/auth/caller";
import { deliveryPage } from "../../server/src/events/admin/deliveryPage";
import { Dispatcher } from "../../server/src/events/delivery/dispatcher";
import type { DispatcherOptions } from "../../server/src/events/destinations";
import type { DeliveryTarget, Outgoing } from "../../server/src/events/targets";
import type { Sent } from "../../server/src/events/targets/target";
import { ResourceService } from "../../server/src/resources/service";
import type { ChangeRequest, ServerContext } from "../../server/src/resources/transaction";
import { openContext } from "../../server/src/start";
import type { DeliveryRow } from "../../server/src/storage/schema";
import { optionsOf } from "./databases";
import { atEndOfFile } from "./endOfFile";
import { MASTER_KEY } from "./server";

const UPDATED = "ip_policy_updated.v0";

/** What a stand-in does with a batch. Events that it accepts count as arrived. */
export type Behaviour = (
  batch: readonly Outgoing[],
  take: (event: Outgoing) => void,
  signal: AbortSignal,
) => Promise<Sent[]> | Sent[];

export const takeAll: Behaviour = (batch, take) =>
  batch.map((event): Sent => {
    take(event);
    return { ok: true };
  });

/** Stands in for a service that receives events: a test sets its behaviour, and it keeps what arrived. */
export class StandInTarget implements DeliveryTarget {
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

  get changesByObject(): Map<string, number[]> {
    const objects = new Map<string, number[]>();
    const seen = new Set<string>();
    for (const { id, key, body } of this.arrived) {
      if (seen.has(id)) continue;
      seen.add(id);
      objects.set(key, [...(objects.get(key) ?? []), Number(JSON.parse(body).object.description)]);
    }
    return objects;
  }
}

/** A real database, written by the server's code, stand-ins for services, and a clock that tests move. */
export class World {
  /** The dispatchers' clock. It is ahead of the real time, which events carry. */
  now = new Date(Date.now() + 60_000);
  readonly dispatchers: Dispatcher[] = [];
  #changes = 0;
  #isClosed = false;

  private constructor(
    readonly core: ServerContext,
    private readonly context: ChangeRequest,
    readonly targets = new Map<string, StandInTarget>(),
  ) {}

  /** The same world, for what its admin does in a new project. */
  async newProject(name: string): Promise<World & { readonly project: string }> {
    const project = await this.#create("project", { name });
    const caller = { ...this.context.caller, project };
    return Object.assign(new World(this.core, { ...this.context, caller }, this.targets), { project });
  }

  static async open(data: string): Promise<World> {
    const core = await openContext({ ...optionsOf(data), masterKey: MASTER_KEY, databasePool: 10 });
    await bootstrap(core, "key-of-the-admin-of-this-world");
    const caller = await new ApiKeys(core.store).callerOf("key-of-the-admin-of-this-world");
    const world = new World(core, {
      caller: caller as Caller,
      operationId: "op_1",
      client: "127.0.0.1",
      dryRun: false,
    });
    atEndOfFile(() => world.close());
    return world;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const dispatcher of this.dispatchers) await dispatcher.stop(0);
    await this.core.sequencer.stop();
    await this.core.store.close();
  }

  pass(ms: number): void {
    this.now = new Date(this.now.getTime() + ms);
  }

  dispatcher(options: Partial<DispatcherOptions> = {}, core = this.core): Dispatcher {
    const dispatcher = new Dispatcher(core, {
      now: () => this.now,
      random: () => 0.5,
      openTarget: ({ monitoring_service }) =>
        this.targets.get(monitoring_service?.service ?? "") as DeliveryTarget,
      targetOptions: {},
      address: () => "https://tunnels.example.com",
      logger: { error: (details: unknown) => console.error(details) } as DispatcherOptions["logger"],
      ...options,
    });
    this.dispatchers.push(dispatcher);
    return dispatcher;
  }

  /** Creates a destination, and a subscription that sends it updates of IP policies. */
  async destination(
    properties: Partial<StandInTarget> = {},
  ): Promise<{ id: string; subscription: string; target: StandInTarget }> {
    const target = Object.assign(new StandInTarget(), properties);
    const name = `service-${this.targets.size}`;
    this.targets.set(name, target);
    const id = await this.#create("event_destination", {
      target: { monitoring_service: { api_key: "none", service: name } },
    });
    return { id, target, subscription: await this.subscribe([id]) };
  }

  subscribe(destinations: readonly string[], types: readonly string[] = [UPDATED]): Promise<string> {
    return this.#create("event_subscription", {
      sources: types.map((type) => ({ type })),
      destination_ids: destinations,
    });
  }

  async remove(kind: string, id: string): Promise<void> {
    await this.resources.remove(definitionNamed(kind), { id }, () => undefined);
  }

  /** Creates objects. No destination gets these events. */
  async objects(count: number): Promise<string[]> {
    return Promise.all(Array.from({ length: count }, () => this.#create("ip_policy", {})));
  }

  /** Changes each of these objects, in this order for each; `description` counts the changes. */
  async change(objects: readonly string[], times = 1): Promise<void> {
    for (let time = 0; time < times; time++) {
      await Promise.all(
        objects.map((id) =>
          this.resources.update(definitionNamed("ip_policy"), { id }, { description: `${++this.#changes}` }),
        ),
      );
    }
  }

  /** The deliveries in the form of the API, oldest event first. */
  async deliveries(destination: string): Promise<DeliveryRow[]> {
    const { documents } = await deliveryPage(this.core.store, destination, undefined, { limit: 10_000 });
    return documents.map((document) => JSON.parse(document)).reverse();
  }

  /** When deliveries are due, the next one first. */
  async dueTimes(): Promise<string[]> {
    const { reader } = this.core.store;
    const rows = await reader
      .selectFrom("delivery")
      .select("due_at")
      .where("due_at", "is not", null)
      .orderBy("due_at")
      .execute();
    return rows.map(({ due_at }) => present(due_at));
  }

  resourcesFor(more: Partial<ChangeRequest>): ResourceService {
    return new ResourceService(this.core, { ...this.context, ...more });
  }

  get resources(): ResourceService {
    return this.resourcesFor({});
  }

  async #create(kind: string, body: object): Promise<string> {
    return (await this.resources.create(definitionNamed(kind), body)).id;
  }
}

import { DEFAULT_PROJECT, definitionOf } from "@tunnelplane/sdk/contract";
import { newId } from "../../../sdk/src/contract/core/newId";
import { ApiKeys } from "../../../server/src/auth/apiKeys";
import { bootstrap } from "../../../server/src/auth/bootstrap";
import type { Caller } from "../../../server/src/auth/caller";
import type { Outgoing } from "../../../server/src/events/targets";
import { ResourceService } from "../../../server/src/resources/service";
import type { ServerContext } from "../../../server/src/resources/transaction";
import { openContext } from "../../../server/src/start";

const KEY = "key-of-the-admin-of-this-benchmark";
const TYPE = "ip_policy_created.v0";
const PAGE = 1000;
const CONTEXT = { operationId: "op_1", client: "127.0.0.1" } as const;
export const ADDRESS = "http://127.0.0.1:4040";

/** A database as on the server, with destinations for events of IP policies. */
export class World {
  private constructor(
    readonly core: ServerContext,
    private readonly caller: Caller,
  ) {}

  static async open(data: string, databaseUrl: string | undefined): Promise<World> {
    const core = await openContext({ data, databaseUrl, databasePool: 10 });
    await bootstrap(core, KEY);
    return new World(core, (await new ApiKeys(core.store).callerOf(KEY)) as Caller);
  }

  /** Creates a destination and subscribes it to every new IP policy from now on. */
  async destination(target: object): Promise<void> {
    const resources = this.resources();
    const { id } = await resources.create(definitionOf("event_destination"), { target });
    await resources.create(definitionOf("event_subscription"), {
      sources: [{ type: TYPE }],
      destination_ids: [id],
    });
  }

  /** @param core another core, whose store wraps this one's */
  resources(core = this.core): ResourceService {
    return new ResourceService(core, { caller: this.caller, ...CONTEXT, dryRun: false });
  }

  /** Creates pending events, each of another object, and gives them their places in the log. */
  async backlog(count: number): Promise<void> {
    for (let made = 0; made < count; made += PAGE) await this.#tellOf(Math.min(PAGE, count - made));
    await this.core.sequencer.settle();
  }

  /** All created events, in the form in which they are sent. */
  async events(): Promise<Outgoing[]> {
    const { core } = this;
    const rows = await core.store.reader.selectFrom("event").selectAll().where("type", "=", TYPE).execute();
    return rows.map(({ id, object_id, created_at, payload }) => ({
      id,
      key: object_id,
      time: created_at,
      body: core.documents.answer(payload, ADDRESS),
    }));
  }

  async #tellOf(count: number): Promise<void> {
    const { documents, journal, keyring, store } = this.core;
    const definition = definitionOf("ip_policy");
    await store.write((transaction) => {
      const changes = Array.from({ length: count }, () => {
        const id = newId(definition.idPrefix);
        const properties = { description: "an event of the benchmark", metadata: "" };
        return {
          change: "created" as const,
          definition,
          id,
          storedAs: { ownerId: this.caller.ownerId, version: 1, project: DEFAULT_PROJECT.id },
          after: documents.compose(definition, id, new Date().toISOString(), properties),
        };
      });
      return journal.append(transaction, keyring.currentId, { ...this.caller, ...CONTEXT }, changes);
    });
  }
}

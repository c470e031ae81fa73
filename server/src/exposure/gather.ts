import {
  createSchema,
  definitionNamed,
  definitionOfId,
  isObject,
  referencesIn,
} from "@tunnelplane/sdk/contract";
import type { World, WorldObject } from "@tunnelplane/sdk/meaning";
import { pipelined, yieldToEventLoop } from "../util";
import type { View } from "../view";

/** The limit on objects that are read for one answer. Results that depend on further ones are uncertain. */
export const MAX_OBJECTS = 1000;

/** Collects objects of a view and everything that they refer to. */
export class Gathering {
  readonly objects = new Map<string, WorldObject>();
  /** Whether the limit was reached, so that objects are missing. */
  full = false;
  #restrictions: readonly WorldObject[] = [];

  constructor(
    private readonly view: View,
    private readonly max = MAX_OBJECTS,
  ) {}

  /** Everything that was collected, and the restrictions. */
  get all(): WorldObject[] {
    const others = this.#restrictions.filter(({ id }) => id === undefined || !this.objects.has(id));
    return [...this.objects.values(), ...others];
  }

  /** Adds objects, everything that they refer to, and the rules of their policies. */
  async add(objects: readonly WorldObject[]): Promise<void> {
    for (let level = objects; level.length > 0; ) {
      const fresh = level.filter((object) => this.#keep(object));
      const policies = fresh.flatMap(({ kind, id }) => (kind === "ip_policy" && id ? [id] : []));
      const [rules, targets] = await pipelined([
        this.view.belongingTo(policies, this.max),
        this.#read(this.#missingTargetsOf(fresh)),
      ]);
      level = [...targets, ...rules.flat()];
    }
  }

  /** Adds the restrictions of all edges that are enforced. */
  async addRestrictions(): Promise<void> {
    this.#restrictions = await this.view.restrictions();
  }

  /** Whether a restriction of all edges uses one of these policies, or the policy of one of these rules. */
  isRestrictedBy(changed: readonly WorldObject[]): boolean {
    const policies = new Set(changed.flatMap(({ id, fields }) => [id, idIn(fields.ip_policy)]));
    return this.#restrictions.some(
      ({ fields: { ip_policies: used } }) =>
        Array.isArray(used) && used.some((policy) => policies.has(idIn(policy))),
    );
  }

  /** Adds what objects refer to, without themselves. */
  async addTargetsOf(objects: readonly WorldObject[]): Promise<void> {
    await this.add(await this.#read(this.#missingTargetsOf(objects)));
  }

  /** Reads objects of the project; skips missing ones. */
  read(ids: readonly string[]): Promise<WorldObject[]> {
    return this.view.own(this.#fitting(ids));
  }

  #read(ids: readonly string[]): Promise<WorldObject[]> {
    return this.view.seen(this.#fitting(ids));
  }

  #fitting(ids: readonly string[]): readonly string[] {
    const room = Math.max(this.max - this.objects.size, 0);
    if (ids.length > room) this.full = true;
    return ids.slice(0, room);
  }

  #keep(object: WorldObject): boolean {
    const { id = "" } = object;
    if (this.objects.has(id)) return false;
    if (this.objects.size >= this.max) this.full = true;
    else this.objects.set(id, object);
    return !this.full;
  }

  #missingTargetsOf(objects: readonly WorldObject[]): string[] {
    const targets = new Set(objects.flatMap((object) => this.#referencesOf(object)));
    return [...targets].filter((id) => !this.objects.has(id));
  }

  #referencesOf({ kind, fields }: WorldObject): string[] {
    const definition = definitionNamed(kind);
    return referencesIn(createSchema(definition), this.view.documents.sentOf(definition, fields))
      .map(({ id }) => id)
      .filter((id) => definitionOfId(id) !== undefined);
  }
}

const idIn = (value: unknown): string | undefined =>
  isObject(value) && typeof value.id === "string" ? value.id : undefined;

/** How many edges are read at once. */
const EDGES_AT_ONCE = 50;

/**
 * The world of these edges: they, their routes, and the objects that they refer to. Lets other requests run
 * in between.
 * @param max how many objects are read; the world is partial if there are more
 */
export async function worldOfEdges(view: View, edges: readonly string[], max: number): Promise<World> {
  const gathering = new Gathering(view, max);
  await gathering.addRestrictions();
  for (let start = 0; start < edges.length && !gathering.full; start += EDGES_AT_ONCE) {
    await gathering.add(await edgesWithRoutes(view, edges.slice(start, start + EDGES_AT_ONCE), max));
    await yieldToEventLoop();
  }
  return {
    objects: gathering.all,
    now: Date.now(),
    ...(gathering.full && { partial: true }),
  };
}

/** Edges of the project, and their routes. */
export async function edgesWithRoutes(
  view: View,
  ids: readonly string[],
  max: number,
): Promise<WorldObject[]> {
  const edges = await view.own(ids);
  const https = edges.flatMap(({ kind, id }) => (kind === "https_edge" && id ? [id] : []));
  return [...edges, ...(await view.belongingTo(https, max)).flat()];
}

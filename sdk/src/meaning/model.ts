import { type Definition, modulesOf } from "../contract/core/definition";
import { endFieldOf, hasEnded } from "../contract/core/ends";
import { present } from "../contract/core/narrow";
import { once, oncePer } from "../contract/core/once";
import { isWithheld, waitedForBy, withServedHostports } from "../contract/core/waiting";
import { EDGE_KINDS } from "../contract/edges";
import { registry } from "../contract/registry";
import { canonical, type Fields, fieldNamed, inOrder, isObject, textIn } from "./values";
import { UNKNOWN, type World, type WorldObject } from "./world";

/** An object of a world, together with its modules that are resources of their own. */
export interface ModelObject {
  readonly kind: string;
  /** Equal in both worlds for the same object. */
  readonly identity: string;
  readonly object: WorldObject;
  readonly fields: Fields;
  /** The resources that declare modules, if the object itself does not. */
  readonly modules: ReadonlyMap<string, WorldObject>;
}

export type Identify = (object: WorldObject) => string;

const ownIdentity: Identify = (object) =>
  object.urn ?? object.id ?? `${object.kind} ${canonical(object.fields)}`;

/** Matches the objects of two worlds: by id, or else by URN. */
export function sameIn(before: World, after: World): Identify {
  const known = new Map<WorldObject, string>();
  const byId = new Map<string, WorldObject>();
  const byUrn = new Map<string, WorldObject>();
  for (const object of everyObject(before)) {
    known.set(object, ownIdentity(object));
    if (object.id !== undefined) byId.set(`${object.kind} ${object.id}`, object);
    if (object.urn !== undefined) byUrn.set(object.urn, object);
  }
  const met = new Set<WorldObject>();
  const meet = (object: WorldObject, counterpart: WorldObject | undefined) => {
    if (!counterpart || met.has(counterpart)) return;
    met.add(counterpart);
    known.set(object, ownIdentity(counterpart));
  };
  const now = everyObject(after);
  for (const object of now) meet(object, byId.get(`${object.kind} ${object.id}`));
  for (const object of now)
    if (!known.has(object) && object.urn !== undefined) meet(object, byUrn.get(object.urn));
  const taken = new Set(known.values());
  for (const object of now) {
    if (known.has(object)) continue;
    const own = ownIdentity(object);
    known.set(object, taken.has(own) ? `new ${own}` : own);
  }
  return (object) => known.get(object) ?? ownIdentity(object);
}

/**
 * The objects of a world, and the routes embedded in answers about HTTPS edges. What waits for the object
 * that it replaces is not there yet.
 */
function everyObject({ objects }: World): WorldObject[] {
  const listed = new Set(objects.map(({ id }) => id));
  const waiting = new Set(objects.filter(isWaiting).map(({ id }) => id));
  const every: WorldObject[] = [];
  for (const object of objects) {
    if (waiting.size > 0 && (isWaiting(object) || waiting.has(textIn(object.fields.edge_id)))) continue;
    every.push(served(object));
    for (const route of routesIn(object)) if (!listed.has(route.id) && !isWaiting(route)) every.push(route);
  }
  return every;
}

/** All of a world, with what waits. */
const allIn = ({ objects }: World): WorldObject[] => objects.flatMap((one) => [one, ...routesIn(one)]);

const served = oncePer((object: WorldObject): WorldObject => {
  const fields = withServedHostports(object.fields);
  return fields === object.fields ? object : { ...object, fields };
});

const isWaiting = ({ fields }: WorldObject): boolean => isWithheld(fields);

const routesIn = (object: WorldObject): readonly WorldObject[] =>
  object.kind === "https_edge" ? embeddedIn(object) : [];

const embeddedIn = oncePer(({ id, stack, fields: { routes } }: WorldObject): readonly WorldObject[] =>
  (Array.isArray(routes) ? routes : []).filter(isObject).map((fields) => ({
    kind: "https_edge_route",
    id: textIn(fields.id),
    stack,
    fields: { edge_id: id, ...fields },
  })),
);

/** For each module that is a resource of its own, the field that names its object. */
const MODULE_OWNERS = new Map<string, string>(
  registry.flatMap((definition) =>
    modulesOf(definition).map((module) => [`${definition.kind}.${module}`, definition.idField] as const),
  ),
);

const NO_MODULES: ModelObject["modules"] = new Map();

/** The kinds of objects that may end. */
export const ENDING: ReadonlyMap<string, Definition> = new Map(
  registry.flatMap((definition) =>
    endFieldOf(definition) === undefined ? [] : [[definition.kind, definition] as const],
  ),
);

/** Two worlds with lookups, at one time: objects are the same in both by their identities. */
export function pairOf(before: World, after: World, now = timeOf(after)): readonly [Model, Model] {
  const identify = sameIn(before, after);
  return [new Model({ ...before, now }, identify), new Model({ ...after, now }, identify)];
}

const timeOf = ({ now = Date.now() }: World): number => now;

/** A world with lookups. Its lists are sorted, so the order of the objects does not matter. */
export class Model {
  readonly partial: boolean;
  /** In milliseconds since 1970. */
  readonly now: number;
  /** Those that were made to replace others which still serve; they are among no others. */
  readonly waiting: () => readonly ModelObject[];
  readonly #byReference = new Map<string, ModelObject>();
  readonly #byKind = new Map<string, ModelObject[]>();
  readonly #belonging = new Map<string, ModelObject[]>();

  constructor(
    readonly world: World,
    identify: Identify = ownIdentity,
  ) {
    this.partial = world.partial === true;
    this.now = timeOf(world);
    const objects = everyObject(world)
      .map((object) => ({ object, identity: identify(object) }))
      .sort(
        (a, b) =>
          inOrder(a.identity, b.identity) || inOrder(canonical(a.object.fields), canonical(b.object.fields)),
      );
    // Only reviews and exposures ask: decisions and gateways make a model at each change.
    this.waiting = once(() =>
      allIn(world)
        .filter(({ fields }) => waitedForBy(fields) !== undefined)
        .map((object) => {
          const { kind, fields } = object;
          return { kind, identity: identify(object), object, fields, modules: NO_MODULES };
        }),
    );
    const modules = new Map<string, Map<string, WorldObject>>();
    for (const { object } of objects) {
      const idField = MODULE_OWNERS.get(object.kind);
      const owner = idField && textIn(fieldNamed(object.fields, idField));
      if (!owner) continue;
      const of = modules.get(owner) ?? new Map<string, WorldObject>();
      modules.set(owner, of.set(present(object.kind.split(".")[1]), object));
    }
    for (const { object, identity } of objects) {
      if (MODULE_OWNERS.has(object.kind)) continue;
      const [byId, byUrn] = [modules.get(object.id ?? ""), modules.get(object.urn ?? "")];
      const own = byId || byUrn ? new Map([...(byId ?? []), ...(byUrn ?? [])]) : NO_MODULES;
      const declared = [...own].map(([name, module]) => [name, module.fields]);
      const fields =
        declared.length > 0 ? { ...object.fields, ...Object.fromEntries(declared) } : object.fields;
      this.#add({ kind: object.kind, identity, object, fields, modules: own });
    }
    for (const rule of this.inForce("ip_policy_rule"))
      this.#belong(rule, rule.fields.ip_policy_id ?? rule.fields.ip_policy);
    for (const route of this.of("https_edge_route")) this.#belong(route, route.fields.edge_id);
  }

  /** The object with an id or a URN. */
  find(reference: string): ModelObject | undefined {
    return this.#byReference.get(reference);
  }

  of(kind: string): readonly ModelObject[] {
    return this.#byKind.get(kind) ?? [];
  }

  /** The objects of all kinds that serve hostports. */
  get edges(): ModelObject[] {
    return EDGE_KINDS.flatMap((kind) => this.of(kind));
  }

  /** Those that have not ended. */
  inForce(kind: string): readonly ModelObject[] {
    const definition = ENDING.get(kind);
    return definition
      ? this.of(kind).filter(({ fields }) => !hasEnded(definition, fields, this.now))
      : this.of(kind);
  }

  /** Those that take over from an object once it is deleted. */
  takingOverFrom(thing: ModelObject): ModelObject[] {
    const ids = [thing.object.id, thing.object.urn];
    return this.waiting().filter(({ fields }) => ids.includes(waitedForBy(fields)));
  }

  get all(): ModelObject[] {
    return [...this.#byKind.values()].flat();
  }

  /** The rules of a policy that are in force, the routes of an edge. */
  belongingTo(thing: Pick<ModelObject, "identity">): readonly ModelObject[] {
    return this.#belonging.get(thing.identity) ?? [];
  }

  /** The identity of a referenced object, which is the same in both worlds. */
  identityOf(reference: string): string {
    return this.find(reference)?.identity ?? reference;
  }

  #add(thing: ModelObject): void {
    for (const reference of [thing.object.id, thing.object.urn]) {
      if (reference !== undefined && !this.#byReference.has(reference))
        this.#byReference.set(reference, thing);
    }
    const all = this.#byKind.get(thing.kind);
    if (all) all.push(thing);
    else this.#byKind.set(thing.kind, [thing]);
  }

  #belong(thing: ModelObject, reference: unknown): void {
    const id = isObject(reference) ? reference.id : reference;
    const owner = typeof id === "string" && id !== UNKNOWN ? this.identityOf(id) : UNKNOWN;
    const all = this.#belonging.get(owner);
    if (all) all.push(thing);
    else this.#belonging.set(owner, [thing]);
  }

  /** Rules or routes whose parent is not known yet. */
  get ofUnknownOwner(): readonly ModelObject[] {
    return this.#belonging.get(UNKNOWN) ?? [];
  }
}

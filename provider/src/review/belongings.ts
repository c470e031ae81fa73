import { definitionNamed, fieldOf, marksOf } from "@tunnelplane/sdk/contract";
import { referenceName, UNKNOWN, type WorldObject } from "@tunnelplane/sdk/meaning";
import type { ResourceType } from "./resources";

/**
 * A resource of a preview that belongs to another object: a module to its edge or route, a rule to its
 * policy, a route to its edge.
 */
export interface Belonging {
  readonly type: ResourceType;
  /** The engine's word for the step. */
  readonly op: string;
  readonly object: WorldObject;
}

/** Names in a sentence, so that a report stays short. */
const MAX_NAMES = 10;

/**
 * Takes out of the server's copy of an object the modules that resources of the stack declare before and none
 * declares after: the run deletes them, or moves them to another object.
 */
export function withoutDeletedModules(
  was: readonly WorldObject[],
  is: readonly WorldObject[],
): (object: WorldObject) => WorldObject {
  const kept = new Set(is.flatMap((object) => keyOf(object) ?? []));
  const deleted = new Set(was.flatMap((object) => keyOf(object) ?? []).filter((key) => !kept.has(key)));
  if (deleted.size === 0) return (object) => object;
  return (object) => {
    const left = Object.entries(object.fields).filter(
      ([name]) => !deleted.has(`${object.id} ${object.kind}.${name}`),
    );
    return { ...object, fields: Object.fromEntries(left) };
  };
}

/** The key that two resources share if they declare the same module of the same object. */
function keyOf({ kind, fields }: WorldObject): string | undefined {
  const [owner = "", module] = kind.split(".");
  return module === undefined ? undefined : `${Reflect.get(fields, definitionNamed(owner).idField)} ${kind}`;
}

/**
 * A sentence about changes of objects that are not in this review, because only a resource that belongs to
 * them is.
 */
export function unseenOwners(
  changed: readonly Belonging[],
  seen: readonly WorldObject[],
  asked: boolean,
): string[] {
  // A module that is a resource of its own has the id of its object.
  const known = new Set(seen.filter(({ kind }) => !kind.includes(".")).flatMap(({ id, urn }) => [id, urn]));
  const unseen = new Map<string, string>();
  for (const { type, op, object } of changed) {
    const field = ownerFieldOf(type);
    const owner: unknown = field && Reflect.get(object.fields, field);
    if (typeof owner !== "string" || owner === UNKNOWN || known.has(owner)) continue;
    unseen.set(
      object.urn ?? "",
      `\`${object.name}\` (${type.kind}: ${op}, ${field} ${referenceName(owner)})`,
    );
  }
  if (unseen.size === 0) return [];
  const names = [...unseen.values()].slice(0, MAX_NAMES).join(", ");
  const more = unseen.size > MAX_NAMES ? ` and ${unseen.size - MAX_NAMES} more` : "";
  const where = asked
    ? "neither in this preview nor among what the API key may see"
    : "not in this preview (use --url and --api-key)";
  return [
    `The effect of these changes cannot be seen, because the objects that they belong to are ${where}: ${names}${more}.`,
  ];
}

/** The field that names the object which a resource belongs to. */
const ownerFieldOf = ({ definition, owner }: ResourceType): string | undefined =>
  owner?.idField ??
  Object.keys(definition.fields).find((name) => marksOf(fieldOf(definition, name)).reference?.cascade);

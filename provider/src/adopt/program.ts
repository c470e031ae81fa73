import { isObject, present } from "@tunnelplane/sdk/contract";
import { Lifecycle } from "../core/lifecycle";
import { targetOf } from "../core/target";
import { type Properties, replacedAt } from "../core/values";
import { namesOf } from "./programNames";
import { keyOf, secretsIn } from "./secrets";
import { type Existing, referencesOf } from "./world";

/** A placeholder in arguments for the id of another declared object. */
export class Reference {
  constructor(readonly name: string) {}
}

/** A placeholder in arguments for a secret of the stack's configuration. */
export class Secret {
  constructor(readonly key: string) {}
}

/** A resource that a program declares. */
export interface Declared extends Existing {
  readonly name: string;
  /**
   * Its arguments without defaults, with placeholders for references and secrets; a map whose keys are ids is
   * a Map.
   */
  readonly args: Properties;
}

/**
 * The declarations of a program, each after those that it refers to. Throws if one of `only` fits no object.
 *
 * @param only kinds or names; empty for everything
 */
export function declare(objects: readonly Existing[], only: readonly string[]): Declared[] {
  const names = namesOf(objects);
  const stands = (word: string, object: Existing) =>
    word === object.definition.kind || word === names.get(object);
  for (const word of only) {
    if (!objects.some((object) => stands(word, object)))
      throw new Error(
        `--only ${word} fits no object: it is neither a kind on this server, such as tls_edge, nor a name that adopt prints`,
      );
  }
  const chosen = objects.filter((object) => only.length === 0 || only.some((word) => stands(word, object)));
  const byId = new Map(chosen.map((object) => [object.id, object]));

  const declared = new Map<Existing, Declared>();
  const add = (object: Existing): void => {
    if (declared.has(object)) return;
    const name = present(names.get(object));
    const references = referencesOf(object).filter(({ id }) => byId.has(id));
    for (const { id } of references) add(present(byId.get(id)));
    const named = (id: string) => {
      const target = byId.get(id);
      return target && new Reference(present(names.get(target)));
    };
    let args = new Lifecycle(targetOf(object.definition.kind)).withoutDefaults(object.inputs);
    for (const { path, id, isKey } of references) {
      args = isKey ? withKeys(args, path.slice(0, -1), named) : replacedAt(args, path, () => named(id));
    }
    for (const path of secretsIn(object.definition, args)) {
      args = replacedAt(args, path, () => new Secret(keyOf(name, path)));
    }
    declared.set(object, { ...object, name, args });
  };
  for (const object of chosen) add(object);
  return [...declared.values()];
}

/**
 * Replaces keys of the map at a path by references. Makes it a Map, because a reference cannot be a property
 * name.
 */
const withKeys = (
  args: Properties,
  path: readonly PropertyKey[],
  named: (id: string) => Reference | undefined,
): Properties =>
  replacedAt(args, path, (map) =>
    map instanceof Map
      ? map
      : new Map(Object.entries(isObject(map) ? map : {}).map(([id, item]) => [named(id) ?? id, item])),
  );

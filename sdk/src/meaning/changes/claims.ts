import type { Definition, UniqueKey } from "../../contract/core/definition";
import { marksOf } from "../../contract/core/marks";
import { own } from "../../contract/core/narrow";
import { oncePer } from "../../contract/core/once";
import { registry } from "../../contract/registry";
import { type Model, type ModelObject, pairOf } from "../model";
import { fieldNamed, isObject } from "../values";
import { UNKNOWN, type World } from "../world";
import { type ObjectChange, pairedIn } from "./differences";

const DEFINITIONS = new Map(registry.map((definition) => [definition.kind as string, definition]));

/** The one text for a value that no two objects may have. */
export const claimText = ({ scope, key }: Pick<UniqueKey, "scope" | "key">): string => `${scope} ${key}`;

/** The values of an object that no other one may have. What is not known yet is left out. */
export function claimsOf(thing: ModelObject, model: Model): UniqueKey[] {
  const definition = DEFINITIONS.get(thing.kind);
  if (!definition) return [];
  const sent = Object.fromEntries(
    Object.entries(definition.fields).map(([name, schema]) => {
      const { reference } = marksOf(schema);
      const value = fieldNamed(thing.fields, name) ?? fieldNamed(thing.fields, reference?.answeredAs ?? name);
      const id = isObject(value) ? value.id : value;
      return [name, reference && typeof id === "string" ? model.identityOf(id) : value];
    }),
  );
  const isMissing = (name: string) => {
    const value = own(sent, name);
    return value === undefined || value === null || value === UNKNOWN;
  };
  if (identifyingIn(definition).some(isMissing)) return [];
  return definition.unique(sent as never).filter((claim) => !claimText(claim).includes(UNKNOWN));
}

/** The values that an object claims and did not have. */
export function newClaims({ before, after }: ObjectChange, past: Model, present: Model): UniqueKey[] {
  if (!after) return [];
  const had = new Set((before ? claimsOf(before, past) : []).map(claimText));
  return claimsOf(after, present).filter((claim) => !had.has(claimText(claim)));
}

/** The objects of a world that have a value, by {@link claimText}; computed once. */
export const holdersIn = oncePer((model: Model): ReadonlyMap<string, readonly ModelObject[]> => {
  const found = new Map<string, ModelObject[]>();
  for (const thing of model.all)
    for (const claim of claimsOf(thing, model)) {
      const text = claimText(claim);
      found.set(text, [...(found.get(text) ?? []), thing]);
    }
  return found;
});

/** A new value that no other object of either world has, with a body that claims nothing else. */
export interface FreshClaim {
  readonly kind: string;
  readonly texts: readonly string[];
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * The new values of a change that objects outside of both worlds may have. Values that only one object can
 * have, such as the path of a route on its edge, are left out.
 */
export function freshClaims(past: World, present: World): FreshClaim[] {
  const [before, after] = pairOf(past, present);
  const isHeld = (text: string) =>
    holdersIn(before).has(text) || (holdersIn(after).get(text)?.length ?? 0) > 1;
  return [...pairedIn(before.all, after.all).values()].flatMap((change) => {
    const definition = change.after && DEFINITIONS.get(change.after.kind);
    const [field, ...rest] = definition ? identifyingIn(definition) : [];
    if (!change.after || !definition || field === undefined || rest.length > 0) return [];
    const byPath = new Map<string, UniqueKey[]>();
    for (const claim of newClaims(change, before, after)) {
      const path = claim.path.join(".");
      byPath.set(path, [...(byPath.get(path) ?? []), claim]);
    }
    const value = fieldNamed(change.after.fields, field);
    return [...byPath.values()].flatMap((claims) => {
      const texts = claims.map(claimText);
      const index = claims[0]?.path[1];
      const claimed: unknown = Array.isArray(value) && typeof index === "number" ? [value[index]] : value;
      return texts.some(isHeld) ? [] : [{ kind: definition.kind, texts, body: { [field]: claimed } }];
    });
  });
}

/** The fields that together name one object. */
const identifyingIn = (definition: Definition): readonly string[] =>
  definition.findBy ?? ("hostports" in definition.fields ? ["hostports"] : []);

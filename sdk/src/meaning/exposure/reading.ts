import type { Thing } from "../model";
import { canonical, type Fields, fieldNamed, holdsUnknown, isObject } from "../values";
import type { WorldObject } from "../world";

/** One place that an aspect of an exposure was read from; what differs between two of them is the cause of a finding. */
export interface Part {
  readonly identity: string;
  readonly kind: string;
  readonly object: WorldObject;
  readonly property?: string;
  /** The same text where the place says the same. */
  readonly says: string;
  /** A module that is there and disabled. */
  readonly off?: boolean;
  /** A module that is not there. */
  readonly absent?: boolean;
}

/** An aspect of an exposure. */
export interface Read<T> {
  readonly value: T;
  readonly parts: readonly Part[];
  /** All that the parts say, where it is known without looking at each. */
  readonly says?: string;
  /** Something of it is not known yet. */
  readonly unknown: boolean;
  /** It is not known whether it applies at all. */
  readonly maybeOff: boolean;
}

/** A module of an object. */
export interface ModuleRead {
  readonly name: string;
  readonly holder: Thing;
  readonly state: "absent" | "off" | "on" | "maybe";
  readonly fields: Fields;
}

export function moduleOf(holder: Thing, name: string): ModuleRead {
  const value = fieldNamed(holder.fields, name);
  const common = { name, holder };
  if (value === null || value === undefined) return { ...common, state: "absent", fields: {} };
  // Neither an unknown module nor one that the engine hides as a secret says anything.
  if (!isObject(value)) return { ...common, state: "maybe", fields: {} };
  if (holdsUnknown(value.enabled)) return { ...common, state: "maybe", fields: value };
  return { ...common, state: value.enabled === false ? "off" : "on", fields: value };
}

/** The place of a module, and what it says there. */
export function partOf(module: ModuleRead, says: unknown): Part {
  const { holder, name, state } = module;
  const own = holder.modules.get(name);
  return {
    identity: `${holder.identity} ${name}`,
    kind: holder.kind,
    object: own ?? holder.object,
    property: own ? undefined : name,
    says: canonical([state, state === "absent" || state === "off" ? null : says]),
    off: state === "off",
    absent: state === "absent",
  };
}

export const partOfThing = (thing: Thing, property: string | undefined, says: unknown): Part => ({
  identity: thing.identity,
  kind: thing.kind,
  object: thing.object,
  property,
  says: canonical(says),
});

/** All that some places say, in whatever order they stand. */
export const saidBy = (parts: readonly Part[]): string =>
  parts
    .map(({ identity, property, says }) => `${identity} ${property} ${says}`)
    .sort()
    .join("\n");

/** An aspect that one module alone decides. */
export function readModule<T>(
  module: ModuleRead,
  absent: T,
  value: (fields: Fields) => T,
  says: (fields: Fields) => unknown = value,
): Read<T> {
  const applies = module.state === "on" || (module.state === "maybe" && Object.keys(module.fields).length > 0);
  return {
    value: applies ? value(module.fields) : absent,
    parts: [partOf(module, applies ? says(module.fields) : null)],
    unknown: module.state === "maybe" || (applies && holdsUnknown(says(module.fields))),
    maybeOff: module.state === "maybe",
  };
}

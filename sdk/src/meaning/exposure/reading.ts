import type { Thing } from "../model";
import { canonical, type Fields, fieldNamed, holdsUnknown, isObject } from "../values";
import type { WorldObject } from "../world";

/**
 * A place from which an aspect of an exposure was read. A difference between two of them is the cause of a
 * finding.
 */
export interface Part {
  readonly identity: string;
  readonly kind: string;
  readonly object: WorldObject;
  readonly property?: string;
  /** Equal if the place has the same content. */
  readonly says: string;
  /** Whether this is a disabled module. */
  readonly off?: boolean;
  /** A module that is not there. */
  readonly absent?: boolean;
}

/** An aspect of an exposure. */
export interface Read<T> {
  readonly value: T;
  readonly parts: readonly Part[];
  /** The content of all parts, if it is known without comparing each. */
  readonly says?: string;
  /** Whether a part of it is not known yet. */
  readonly unknown: boolean;
  /** Whether it is unknown if it applies at all. */
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
  // A module that is unknown, or hidden by the engine as a secret, cannot be read.
  if (!isObject(value)) return { ...common, state: "maybe", fields: {} };
  if (holdsUnknown(value.enabled)) return { ...common, state: "maybe", fields: value };
  return { ...common, state: value.enabled === false ? "off" : "on", fields: value };
}

/** A module as a place, with its content. */
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

/** The content of several places, independent of their order. */
export const saidBy = (parts: readonly Part[]): string =>
  parts
    .map(({ identity, property, says }) => `${identity} ${property} ${says}`)
    .sort()
    .join("\n");

/** An aspect that depends on one module only. */
export function readModule<T>(
  module: ModuleRead,
  absent: T,
  value: (fields: Fields) => T,
  says: (fields: Fields) => unknown = value,
): Read<T> {
  const applies =
    module.state === "on" || (module.state === "maybe" && Object.keys(module.fields).length > 0);
  return {
    value: applies ? value(module.fields) : absent,
    parts: [partOf(module, applies ? says(module.fields) : null)],
    unknown: module.state === "maybe" || (applies && holdsUnknown(says(module.fields))),
    maybeOff: module.state === "maybe",
  };
}

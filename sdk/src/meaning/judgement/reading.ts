import type { ModelObject } from "../model";
import { canonical, type Fields, fieldNamed, holdsUnknown, isObject } from "../values";
import type { WorldObject } from "../world";

/**
 * A place from which an aspect of an exposure was read. A difference between two of them is the cause of a
 * finding.
 */
export interface Part {
  /** The object that has it. */
  readonly of: ModelObject;
  /** The name of the module, if it is one. */
  readonly module?: string;
  readonly identity: string;
  readonly kind: string;
  readonly object: WorldObject;
  readonly property?: string;
  /** Equal if the place has the same content. */
  readonly content: string;
  /** Whether this is a disabled module. */
  readonly off?: boolean;
  /** A module that is not there. */
  readonly absent?: boolean;
}

/** An aspect of an exposure. */
export interface Reading<T> {
  readonly value: T;
  readonly parts: readonly Part[];
  /** The content of all parts, if it is known without comparing each. */
  readonly content?: string;
  /** Whether a part of it is not known yet. */
  readonly unknown: boolean;
  /** Whether it is unknown if it applies at all. */
  readonly maybeOff: boolean;
}

/** A module of an object. */
export interface ModuleReading {
  readonly name: string;
  readonly holder: ModelObject;
  readonly state: "absent" | "off" | "on" | "maybe";
  readonly fields: Fields;
}

export function moduleOf(holder: ModelObject, name: string): ModuleReading {
  const value = fieldNamed(holder.fields, name);
  const common = { name, holder };
  if (value === null || value === undefined) return { ...common, state: "absent", fields: {} };
  // A module that is unknown, or hidden by the engine as a secret, cannot be read.
  if (!isObject(value)) return { ...common, state: "maybe", fields: {} };
  if (holdsUnknown(value.enabled)) return { ...common, state: "maybe", fields: value };
  return { ...common, state: value.enabled === false ? "off" : "on", fields: value };
}

/** A module as a place, with its content. */
export function partOf(module: ModuleReading, content: unknown): Part {
  const { holder, name, state } = module;
  const own = holder.modules.get(name);
  return {
    of: holder,
    module: name,
    identity: `${holder.identity} ${name}`,
    kind: holder.kind,
    object: own ?? holder.object,
    property: own ? undefined : name,
    content: canonical([state, state === "absent" || state === "off" ? null : content]),
    off: state === "off",
    absent: state === "absent",
  };
}

export const partOfObject = (thing: ModelObject, property: string | undefined, content: unknown): Part => ({
  of: thing,
  identity: thing.identity,
  kind: thing.kind,
  object: thing.object,
  property,
  content: canonical(content),
});

/** The content of several places, independent of their order. */
export const contentOf = (parts: readonly Part[]): string =>
  parts
    .map(({ identity, property, content }) => `${identity} ${property} ${content}`)
    .sort()
    .join("\n");

/** An aspect that depends on one module only. */
export function readModule<T>(
  module: ModuleReading,
  absent: T,
  value: (fields: Fields) => T,
  content: (fields: Fields) => unknown = value,
): Reading<T> {
  const applies =
    module.state === "on" || (module.state === "maybe" && Object.keys(module.fields).length > 0);
  let parts: readonly Part[] | undefined;
  return {
    value: applies ? value(module.fields) : absent,
    // Only findings ask for them.
    get parts() {
      parts ??= [partOf(module, applies ? content(module.fields) : null)];
      return parts;
    },
    unknown: module.state === "maybe" || (applies && holdsUnknown(content(module.fields))),
    maybeOff: module.state === "maybe",
  };
}

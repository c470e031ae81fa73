import {
  answeredListsOf,
  camelCase,
  camelCasePath,
  chosenPathsOf,
  createSchema,
  type Definition,
  defaultOf,
  fieldsWhere,
  isObject,
  isOutput,
  marksOf,
  own,
  partsOf,
  pathFieldsOf,
  rename,
  secretPathsOf,
  shapeOf,
  toSent,
  writeOnlyPathsOf,
} from "@tunnelplane/sdk/contract";
import type { z } from "zod";
import type { Wire } from "./target";

/** Properties as a Pulumi program spells them. */
export type Properties = Record<string, unknown>;

export const toWire = (definition: Definition, properties: Properties): Wire =>
  rename(createSchema(definition), properties, "wire");

export const toProperties = (definition: Definition, wire: Wire): Properties =>
  rename(createSchema(definition), wire, "camelCase");

/**
 * Turns an answer into outputs for the state: the fields in the form in which they are declared, and the
 * computed ones. Leaves out modules that the program does not declare, so that they stay untouched.
 *
 * @param recorded the earlier outputs, if any: they say which modules are declared, and hold one-time secrets
 *   and properties that only the program knows
 */
export function outputsOf(
  definition: Definition,
  answer: Wire,
  recorded: Properties | undefined,
): Properties {
  const sent = toSent(createSchema(definition), answer);
  for (const part of partsOf(definition)) {
    if (recorded && own(recorded, camelCase(part)) === undefined) delete sent[part];
  }
  // Embedded objects are resources of their own, and may hold secrets.
  const ofServer = outputFieldsOf(definition);
  const computed = ["uri", "created_at", ...ofServer].map((name) => [camelCase(name), own(answer, name)]);
  // The resource id of a child holds its parent's id too, so its own id becomes a separate output.
  if (pathFieldsOf(definition).length > 0 && !Object.hasOwn(definition.fields, definition.idField))
    computed.push([camelCase(definition.idField), answer.id]);
  const kept = fieldsWhere(definition, (marks) => marks.once || marks.programOnly).map(camelCase);
  const lists = answeredListsOf(definition).map(({ answeredAs, schema }) => [
    camelCase(answeredAs),
    rename(schema, own(answer, answeredAs), "camelCase"),
  ]);
  const outputs: Properties = {
    ...toProperties(definition, sent),
    ...Object.fromEntries([...computed, ...lists]),
  };
  for (const name of kept) outputs[name] ??= own(recorded, name);
  return withoutEmpty(withHiddenSecrets(definition, outputs, answer, recorded));
}

/** The secrets that an answer hides from this API key, as properties: it says null where one is set. */
export const hiddenSecretsOf = (definition: Definition, answer: Wire): string[][] =>
  secretPathsOf(definition)
    .map((path) => path.split("."))
    .filter((path) => {
      const [top = ""] = path;
      const isOnce = Object.hasOwn(definition.computed, top);
      return !isOnce && isObject(valueAt(answer, path.slice(0, -1))) && isHidden(valueAt(answer, path));
    })
    .map((path) => camelCasePath(createSchema(definition), path).map(String));

/** Of a map of secrets, the names of its keys are shown. */
const isHidden = (value: unknown): boolean =>
  value === null || (isObject(value) && Object.values(value).some((item) => item === null));

/** Outputs with recorded secrets in the place of those that this API key may not read. */
function withHiddenSecrets(
  definition: Definition,
  outputs: Properties,
  answer: Wire,
  recorded: Properties | undefined,
): Properties {
  let filled = outputs;
  for (const path of hiddenSecretsOf(definition, answer)) {
    const known = valueAt(recorded, path);
    if (known !== undefined && isObject(valueAt(filled, path.slice(0, -1))))
      filled = replacedAt(filled, path, () => known);
  }
  return filled;
}

/** Outputs without secrets that no answer shows and that a change in doubt exchanged. */
export function withoutHiddenChanges(
  definition: Definition,
  outputs: Properties,
  recorded: Properties,
  desired: Properties,
): Properties {
  let known = outputs;
  for (const path of writeOnlyPathsOf(definition).map((one) => camelCaseOf(definition, one)))
    if (!same(valueAt(recorded, path), valueAt(desired, path)) && valueAt(known, path) !== undefined)
      known = withoutAt(known, path);
  return known;
}

/** A copy of properties without what is at a path: hosts cannot write undefined values. */
function withoutAt(properties: Properties, [name = "", ...rest]: readonly string[]): Properties {
  const { [name]: value, ...others } = properties;
  return rest.length > 0 && isObject(value) ? { ...others, [name]: withoutAt(value, rest) } : others;
}

const camelCaseOf = (definition: Definition, path: string): string[] =>
  camelCasePath(createSchema(definition), path.split(".")).map(String);

/** The computed fields that programs have as outputs. */
export const outputFieldsOf = ({ computed }: Definition): string[] =>
  Object.entries(computed).flatMap(([name, schema]) => (isOutput(schema) ? [name] : []));

/** The part of recorded outputs that a program declares. */
export function inputsOf(definition: Definition, outputs: Properties): Properties {
  const chosenByServer = fieldsWhere(definition, (marks) => marks.serverDefault);
  const declared = Object.keys(definition.fields)
    .filter((name) => !chosenByServer.includes(name))
    .map(camelCase);
  const properties = withoutAddresses(definition, outputs);
  return Object.fromEntries(
    declared
      .filter((name) => own(properties, name) !== undefined)
      .map((name) => [name, own(properties, name)]),
  );
}

/** Properties without the addresses of entries, which no program declares. */
export function withoutAddresses(definition: Definition, properties: Properties): Properties {
  const short = answeredListsOf(definition).flatMap(({ field, key }) => {
    const entries = own(properties, camelCase(field));
    if (key === undefined || !Array.isArray(entries)) return [];
    return [[camelCase(field), entries.map((entry: unknown) => withoutAddress(entry))] as const];
  });
  return short.length === 0 ? properties : { ...properties, ...Object.fromEntries(short) };
}

function withoutAddress(entry: unknown): unknown {
  if (!isObject(entry)) return entry;
  const { uri, ...declared } = entry;
  return declared;
}

/**
 * The properties that a change of one resource is compared with, from its state. After an import, outputs may
 * hold more than was declared: modules that the program does not declare are left out, and values that only
 * the program knows come from its inputs.
 */
export function recordedOf(definition: Definition, outputs: Properties, declared: Properties): Properties {
  const recorded = { ...outputs };
  for (const part of partsOf(definition).map(camelCase))
    if (own(declared, part) === undefined) delete recorded[part];
  for (const name of fieldsWhere(definition, (marks) => marks.programOnly).map(camelCase))
    recorded[name] ??= own(declared, name);
  return withWriteOnly(definition, recorded, declared);
}

/** Properties with the secrets that no answer shows, as the program declares them. */
export function withWriteOnly(
  definition: Definition,
  properties: Properties,
  declared: Properties,
): Properties {
  const paths = writeOnlyPathsOf(definition).map((one) => camelCaseOf(definition, one));
  return filledAt(properties, paths, (path) => valueAt(declared, path));
}

/**
 * Properties with what the server chose inside of those that the program declares and leaves out there.
 *
 * @param unknown in the place of what is not recorded. Default: nothing
 */
export function withChosen(
  definition: Definition,
  declared: Properties,
  recorded: Properties | undefined,
  unknown?: unknown,
): Properties {
  const paths = chosenPathsOf(definition).map((one) => camelCaseOf(definition, one));
  return filledAt(declared, paths, (path) => valueAt(recorded, path) ?? unknown);
}

/** A copy with values at the paths where there are none, as far as what holds them is there. */
function filledAt(
  properties: Properties,
  paths: readonly string[][],
  find: (path: readonly string[]) => unknown,
): Properties {
  let filled = properties;
  for (const path of paths) {
    const value = find(path);
    const isThere = path.length === 1 || isObject(valueAt(filled, path.slice(0, -1)));
    if (value !== undefined && isThere && valueAt(filled, path) === undefined)
      filled = replacedAt(filled, path, () => value);
  }
  return filled;
}

/** One place where two values differ. */
export interface Difference {
  readonly path: readonly PropertyKey[];
  readonly actual: unknown;
  readonly declared: unknown;
}

export function differences(
  actual: unknown,
  declared: unknown,
  path: readonly PropertyKey[],
  isUnknown: (value: unknown) => boolean,
): Difference[] {
  if (isUnknown(declared) || same(actual, declared)) return [];
  const both = [actual, declared];
  const arrays = both.every(Array.isArray);
  if (!arrays && !both.every((value) => typeof value === "object" && value !== null && !Array.isArray(value)))
    return [{ path, actual, declared }];
  const [before, after] = both as [Properties, Properties];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) =>
    differences(own(before, key), own(after, key), [...path, arrays ? Number(key) : key], isUnknown),
  );
}

/** A value without the fields that have their default, at every depth. */
export function withoutDefaults(schema: z.ZodType, value: unknown): unknown {
  if (value === undefined || same(value, defaultOf(schema))) return undefined;
  const shape = shapeOf(schema);
  if (!shape || marksOf(schema).userKeys || !isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(shape)
      .map(([name, field]) => [camelCase(name), withoutDefaults(field, own(value, camelCase(name)))])
      .filter(([, item]) => item !== undefined),
  );
}

/** Whether two values are equal. Null counts as absent, as in the engine. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b || (a ?? undefined) === (b ?? undefined)) return true;
  if (typeof a !== "object" || typeof b !== "object" || !a || !b || Array.isArray(a) !== Array.isArray(b))
    return false;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => same(own(a as Properties, name), own(b as Properties, name)));
}

/** Properties without those that are not set. */
export const withoutEmpty = (properties: Properties): Properties =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined && value !== null));

/** Whether a part of a value is not known. */
export function holdsUnknown(value: unknown, isUnknown: (value: unknown) => boolean): boolean {
  if (isUnknown(value)) return true;
  return (
    typeof value === "object" &&
    value !== null &&
    Object.values(value).some((item) => holdsUnknown(item, isUnknown))
  );
}

/** A copy of properties with another value at a path. */
export function replacedAt(
  properties: Properties,
  [name, ...rest]: readonly PropertyKey[],
  replace: (value: unknown) => unknown,
): Properties {
  const key = String(name);
  return { ...properties, [key]: replacedIn(own(properties, key), rest, replace) };
}

function replacedIn(
  value: unknown,
  path: readonly PropertyKey[],
  replace: (value: unknown) => unknown,
): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return replace(value);
  if (Array.isArray(value))
    return value.map((item, index) => (index === head ? replacedIn(item, rest, replace) : item));
  return isObject(value) ? replacedAt(value, path, replace) : value;
}

/** The value at a path. */
export const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((at, name) => (isObject(at) ? own(at, name) : undefined), value);

import { camelCasePath, createSchema, type Definition, formatPath, secretPathsOf } from "@tunnelplane/sdk/contract";
import type { Properties } from "../core/values";

/** How an import file marks a secret: the engine's own signature, and the value as JSON. */
const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";

/** The paths of the secrets that properties hold. */
export const secretsIn = (definition: Definition, properties: Properties): string[][] =>
  secretPathsOf(definition)
    .map((path) => camelCasePath(createSchema(definition), path.split(".")) as string[])
    .filter((path) => typeof valueAt(properties, path) === "string");

/** The name of a secret in the configuration. */
export const keyOf = (name: string, path: readonly PropertyKey[]): string => `${name}-${formatPath(path)}`;

/** The properties with their secrets as an import file has them. */
export const sealed = (definition: Definition, properties: Properties): Properties =>
  secretsIn(definition, properties).reduce(
    (all, path) => replacedAt(all, path, (secret) => ({ [SIGNATURE]: SECRET, plaintext: JSON.stringify(secret) })) as Properties,
    properties,
  );

/** Every secret in the inputs of an import file's resource, with its place. */
export function unsealed(value: unknown, path: readonly PropertyKey[] = []): { path: readonly PropertyKey[]; secret: string }[] {
  if (typeof value !== "object" || value === null) return [];
  const { [SIGNATURE]: signature, plaintext } = value as Record<string, unknown>;
  if (signature === SECRET) return [{ path, secret: JSON.parse(plaintext as string) }];
  return Object.entries(value).flatMap(([name, item]) => unsealed(item, [...path, Array.isArray(value) ? Number(name) : name]));
}

/** A copy in which another value stands at a path. */
export function replacedAt(value: unknown, [head, ...rest]: readonly PropertyKey[], replace: (value: unknown) => unknown): unknown {
  if (head === undefined) return replace(value);
  if (Array.isArray(value)) return value.map((item, index) => (index === head ? replacedAt(item, rest, replace) : item));
  return { ...(value as object), [head]: replacedAt((value as Properties)[head as string], rest, replace) };
}

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((at, name) => (at as Properties | undefined)?.[name], value);

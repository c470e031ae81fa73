import {
  camelCasePath,
  createSchema,
  type Definition,
  formatPath,
  isObject,
  secretPathsOf,
} from "@tunnelplane/sdk/contract";
import { SECRET, SIGNATURE } from "../core/urn";
import { type Properties, replacedAt, valueAt } from "../core/values";

/** The paths of the secrets in properties, also of those in maps. */
export const secretsIn = (definition: Definition, properties: Properties): string[][] =>
  secretPathsOf(definition)
    .map((path) => camelCasePath(createSchema(definition), path.split(".")).map(String))
    .flatMap((path) => {
      const value = valueAt(properties, path);
      return isObject(value) ? Object.keys(value).map((key) => [...path, key]) : [path];
    })
    .filter((path) => typeof valueAt(properties, path) === "string");

/** The name of a secret in the configuration. */
export const keyOf = (name: string, path: readonly PropertyKey[]): string => `${name}-${formatPath(path)}`;

/** Marks the secrets in properties for an import file, which holds them as JSON. */
export const sealed = (definition: Definition, properties: Properties): Properties =>
  secretsIn(definition, properties).reduce(
    (all, path) =>
      replacedAt(all, path, (secret) => ({ [SIGNATURE]: SECRET, plaintext: JSON.stringify(secret) })),
    properties,
  );

/** Every secret in the inputs of a resource in an import file, with its path. */
export function unsealed(
  value: unknown,
  path: readonly PropertyKey[] = [],
): { path: readonly PropertyKey[]; secret: string }[] {
  if (typeof value !== "object" || value === null) return [];
  if (isObject(value) && value[SIGNATURE] === SECRET)
    return [{ path, secret: JSON.parse(String(value.plaintext)) }];
  return Object.entries(value).flatMap(([name, item]) =>
    unsealed(item, [...path, Array.isArray(value) ? Number(name) : name]),
  );
}

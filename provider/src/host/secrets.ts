import { camelCase, type Definition, isObject, own, secretPathsOf } from "@tunnelplane/sdk/contract";
import { type Properties, SECRET, SIGNATURE } from "../core";

/**
 * Marks the secrets in what `read` answers, by the contract. The engine keeps only the marks that it finds
 * there: values of an object that no program declared, and those that drifted to another path, would stand in
 * the state and in previews in clear.
 */
export const withSecretsMarked = (definition: Definition, properties: Properties): Properties =>
  secretPathsOf(definition).reduce(
    (marked, path) => markedAt(marked, path.split(".").map(camelCase)),
    properties,
  );

function markedAt(properties: Properties, [name = "", ...rest]: readonly string[]): Properties {
  const value = own(properties, name);
  if (rest.length > 0) return isObject(value) ? { ...properties, [name]: markedAt(value, rest) } : properties;
  return value === undefined || value === null
    ? properties
    : { ...properties, [name]: { [SIGNATURE]: SECRET, value } };
}

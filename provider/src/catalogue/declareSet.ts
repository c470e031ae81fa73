import * as pulumi from "@pulumi/pulumi";
import { setObjectsOf } from "@tunnelplane/sdk/catalogue";
import { definitionOf, secretPathsOf } from "@tunnelplane/sdk/contract";
import { readCatalogue } from "./read";

type Fields = Readonly<Record<string, unknown>>;

/**
 * The objects of a catalogue by kind and key, as a change set declares them. Secrets are marked, so that the
 * state encrypts them.
 */
export function declaredObjects(file: string): Record<string, Fields> {
  const { entries, links } = readCatalogue(file);
  const objects = setObjectsOf(entries, links).map(({ kind, key, fields = {} }): [string, Fields] => {
    const paths = secretPathsOf(definitionOf(kind)).map((path) => path.split("."));
    return [`${kind}/${key}`, paths.reduce<unknown>(withSecret, fields) as Fields];
  });
  return Object.fromEntries(objects);
}

/** A copy of the value in which the value at a path is a secret. */
function withSecret(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return pulumi.secret(value);
  if (typeof value !== "object" || value === null || pulumi.Output.isInstance(value)) return value;
  const fields = value as Fields;
  return fields[name] === undefined ? value : { ...fields, [name]: withSecret(fields[name], rest) };
}

import { yamlOf } from "@tunnelplane/sdk/catalogue";
import { collectionOf } from "@tunnelplane/sdk/contract";
import { Scalar } from "yaml";
import { type Declared, Reference, Secret } from "./program";

/** The variable of a secret in a catalogue without a stack. */
export const variableOf = (key: string): string =>
  key
    .replace(/^(?=\d)/, "_")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .toUpperCase();

/**
 * The program as a catalogue, see docs/catalogue.md.
 *
 * @param isForeign whether it comes from elsewhere: no stack has its secrets, which are variables then
 */
export function asCatalogue(resources: readonly Declared[], from: string, isForeign = false): string {
  const collections = new Map<string, Map<string, unknown>>();
  for (const { definition, name, args } of resources) {
    const collection = collectionOf(definition);
    const entries = collections.get(collection) ?? new Map<string, unknown>();
    collections.set(collection, entries.set(name, plain(args, isForeign)));
  }
  const head = [
    "# yaml-language-server: $schema=./node_modules/@tunnelplane/pulumi/tunnels.schema.json",
    `# The objects of ${from}, written by \`tunnelplane-pulumi adopt\`. Change this file as you like.`,
  ];
  return `${head.join("\n")}\n\n${yamlOf(collections)}`;
}

/** Replaces placeholders by names and tags. */
function plain(value: unknown, isForeign: boolean): unknown {
  const within = (item: unknown) => plain(item, isForeign);
  if (value instanceof Reference) return value.name;
  if (value instanceof Secret) {
    const key = new Scalar(isForeign ? variableOf(value.key) : value.key);
    key.tag = isForeign ? "!env" : "!secret";
    return key;
  }
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [within(key), within(item)]));
  if (Array.isArray(value)) return value.map(within);
  if (typeof value !== "object" || value === null) return value;
  return new Map(Object.entries(value).map(([name, item]) => [name, within(item)]));
}

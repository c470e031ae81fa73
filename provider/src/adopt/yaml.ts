import { yamlOf } from "@tunnelplane/sdk/catalogue";
import { collectionOf } from "@tunnelplane/sdk/contract";
import { Scalar } from "yaml";
import { type Declared, Reference, Secret } from "./program";

/** The program as a catalogue, see docs/catalogue.md. */
export function asCatalogue(resources: readonly Declared[], from: string): string {
  const collections = new Map<string, Map<string, unknown>>();
  for (const { definition, name, args } of resources) {
    const collection = collectionOf(definition);
    const entries = collections.get(collection) ?? new Map<string, unknown>();
    collections.set(collection, entries.set(name, plain(args)));
  }
  const head = [
    "# yaml-language-server: $schema=./node_modules/@tunnelplane/pulumi/tunnels.schema.json",
    `# The objects of ${from}, written by \`tunnelplane-pulumi adopt\`. Change this file as you like.`,
  ];
  return `${head.join("\n")}\n\n${yamlOf(collections)}`;
}

/** Replaces placeholders by names and tags. */
function plain(value: unknown): unknown {
  if (value instanceof Reference) return value.name;
  if (value instanceof Secret) {
    const key = new Scalar(value.key);
    key.tag = "!secret";
    return key;
  }
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [plain(key), plain(item)]));
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return new Map(Object.entries(value).map(([name, item]) => [name, plain(item)]));
}

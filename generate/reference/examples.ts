import { stringify } from "yaml";
import {
  collectionOf,
  createSchema,
  type Definition,
  definitionNamed,
  readSampleReference,
  rename,
  sampleBody,
  sampleFields,
  samplePath,
  sampleReferences,
} from "../../sdk/src/contract";

type Json = Record<string, unknown>;

/** A catalogue that declares the sample of a type, and what that refers to. */
export function catalogueExample(definition: Definition, name: string): string {
  const collections: Record<string, Json> = {};
  const declare = (one: Definition, entry: string): void => {
    const collection = collectionOf(one);
    if (collections[collection]?.[entry]) return;
    for (const reference of sampleReferences(one)) {
      const { kind, name } = readSampleReference(reference);
      declare(definitionNamed(kind), name);
    }
    const named = sampleFields(one, (reference) => readSampleReference(reference).name);
    collections[collection] = { ...collections[collection], [entry]: rename(createSchema(one), named, "camelCase") };
  };
  declare(definition, name);
  return stringify(collections, { lineWidth: 0 });
}

/** A creation with curl. */
export function curlExample(definition: Definition): string {
  const body = JSON.stringify(sampleBody(definition), null, 2).replaceAll("'", "'\\''");
  return `curl "$TUNNELPLANE_BASE_URL${samplePath(definition)}" \\
  -H "Authorization: Bearer $TUNNELPLANE_API_KEY" -H "Service-Version: 2" \\
  -H "Content-Type: application/json" -d '${body}'
`;
}

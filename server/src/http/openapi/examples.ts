import { bare, elementOf, own, SAMPLE_SERVER, sampleId, shapeOf } from "@tunnelplane/sdk/contract";
import type { Shape } from "@tunnelplane/sdk/operations";
import { z } from "zod";

const TIME = "2026-11-22T08:00:00.000Z";

/** The example of a shape: its own, or one that is made from its fields. */
export const exampleOf = ({ example, schema }: Shape): unknown => example?.() ?? exampleOfSchema(schema);

/** The example of a page. */
export const listExample = (key: string, path: string, one: unknown) => ({
  [key]: [one],
  uri: `${SAMPLE_SERVER}${path.replace(/\{(\w+)\}/g, (_, name: string) => sampleId(own(ID_PREFIXES, name) ?? "ed", name))}`,
  next_page_uri: null,
});

/** A value that the schema describes: the first of its own examples, or the simplest. */
function exampleOfSchema(schema: z.ZodType, name = ""): unknown {
  const [own] = (schema.meta()?.examples ?? bare(schema).meta()?.examples ?? []) as unknown[];
  if (own !== undefined) return own;
  const inner = bare(schema);
  const element = elementOf(inner);
  if (element) return [exampleOfSchema(element, name)];
  if (inner instanceof z.ZodObject)
    return Object.fromEntries(
      Object.entries(shapeOf(inner) ?? {}).map(([field, value]) => [field, exampleOfSchema(value, field)]),
    );
  if (inner instanceof z.ZodUnion) return exampleOfSchema(inner.options[0] as z.ZodType, name);
  if (inner instanceof z.ZodEnum) return inner.options[0];
  if (inner instanceof z.ZodLiteral) return [...inner.values][0];
  if (inner instanceof z.ZodBoolean) return true;
  if (inner instanceof z.ZodNumber) return Math.max(1, inner.minValue ?? 1);
  if (inner instanceof z.ZodRecord) return {};
  return exampleOfText(inner, name);
}

function exampleOfText(schema: z.ZodType, name: string): unknown {
  const format = (schema as { format?: string }).format;
  if (format === "datetime") return TIME;
  if (format === "url" || name === "uri") return `${SAMPLE_SERVER}/caller`;
  const prefix = own(ID_PREFIXES, name);
  return prefix ? sampleId(prefix, name) : "…";
}

/** What ids begin with in fields of these names, where the shape has no example of its own. */
const ID_PREFIXES: Readonly<Record<string, string>> = {
  id: "edgtls",
  edge_id: "edghts",
  object_id: "edgtls",
  owner_id: "usr",
  principal_id: "usr",
  key_id: "ak",
  event_id: "ev",
  operation_id: "op",
  account_id: "ac",
  server_id: "ac",
};

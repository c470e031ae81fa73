import { bare, type Definition, elementOf, isObject, marksOf } from "@tunnelplane/sdk/contract";
import { z } from "zod";
import type { Stored } from "./objects";

/** How many fields a table shows beside id, description and time of creation. */
const MAX_COLUMNS = 4;

/** Fields with texts of many lines, or for machines, which are useless in a table. */
const LONG = /^(description|metadata)$|_pem$|^public_key$|^certificate$|^body$/;

/**
 * The fields of a kind that a table has a column for: short values, in the order of the definition. What
 * objects have for a while only has a column where one has it.
 */
function columnsOf(definition: Definition, objects: readonly Stored[]): string[] {
  const fields = Object.entries({ ...definition.fields, ...definition.computed });
  const isThere = (name: string) => objects.some((object) => cellOf(object[name]) !== "");
  return fields
    .filter(([name, schema]) => {
      const marks = marksOf(schema);
      return (
        !LONG.test(name) &&
        !marks.module &&
        !marks.secret &&
        !marks.once &&
        !marks.embeds &&
        !marks.programOnly &&
        (!marks.fleeting || isThere(name)) &&
        isShort(schema)
      );
    })
    .map(([name, schema]) => marksOf(schema).reference?.answeredAs ?? name)
    .slice(0, MAX_COLUMNS);
}

function isShort(schema: z.ZodType): boolean {
  const element = elementOf(schema);
  return element ? isShort(element) : !(bare(schema) instanceof z.ZodObject);
}

/** A value in one cell. */
export function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(cellOf).join(", ");
  if (!isObject(value)) return String(value);
  const { id } = value;
  if (typeof id === "string") return id;
  return Object.entries(value)
    .map(([name, item]) => `${name}=${cellOf(item)}`)
    .join(", ");
}

/** Headings and rows of a table of objects of one kind. */
export function objectTable(
  definition: Definition,
  objects: readonly Stored[],
): [headings: string[], rows: string[][]] {
  const isNamed = objects.some(({ resource_name }) => resource_name !== undefined);
  const names = isNamed ? ["resource_name"] : [];
  const fields = [...names, "id", ...columnsOf(definition, objects), "created_at", "description"];
  return [
    fields.map((field) => field.toUpperCase()),
    objects.map((object) => fields.map((field) => cellOf(object[field]))),
  ];
}

import type { z } from "zod";
import { bare, defaultOf, marksOf } from "./marks";

/** The description of a field, with what its marks add to it. */
export function docOf(schema: z.ZodType): string {
  const text = schema.meta()?.description ?? bare(schema).meta()?.description ?? "";
  const fallback = defaultOf(schema);
  const shown = JSON.stringify(fallback);
  const says =
    fallback === undefined || text.includes("Default") || shown === '""' || shown === "[]" || shown === "{}";
  return [text, says ? "" : `Default \`${shown}\`.`, marksOf(schema).secret ? "Secret." : ""]
    .filter(Boolean)
    .join(" ");
}

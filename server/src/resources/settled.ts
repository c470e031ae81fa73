import type { Definition, Problem, Settling } from "@tunnelplane/sdk/contract";
import type { Document } from "../documents";

interface Given extends Partial<Settling> {
  readonly given: Document;
  /** The fields that were sent before; empty for a new object. */
  readonly before: Document;
}

/** The fields to store of an object, without those to remove; or the mistake in what was given. */
export function settled(
  definition: Definition,
  { given, before, dryRun = false }: Given,
): { readonly sent: Document } | { readonly problem: Problem } {
  const found = definition.settle?.(given, before, { dryRun }) ?? { fields: given };
  if (!("fields" in found)) return { problem: { error: "invalid_field", ...found } };
  const all = Object.entries({ ...before, ...found.fields });
  return { sent: Object.fromEntries(all.filter(([, value]) => value !== undefined)) };
}

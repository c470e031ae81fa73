import * as pulumi from "@pulumi/pulumi";

const MAX_DEPTH = 5;

/** The resources whose outputs stand in a value, also inside of objects and lists. */
export function objectsIn(value: unknown, depth = 0): object[] {
  if (pulumi.Output.isInstance(value)) {
    const { resources } = value as unknown as { readonly resources?: () => ReadonlySet<object> };
    return [...(resources?.() ?? [])];
  }
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH || pulumi.Resource.isInstance(value))
    return [];
  return Object.values(value).flatMap((inner) => objectsIn(inner, depth + 1));
}

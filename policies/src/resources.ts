import type { PolicyResource, PolicyResourceOptions } from "@pulumi/policy";
import type { DeclaredResource } from "@tunnelplane/pulumi/review";
import { UNKNOWN } from "@tunnelplane/sdk/meaning";

export type Properties = Readonly<Record<string, unknown>>;

/** Properties as plain values. Pulumi's own throw where a value is not known yet; here it is `UNKNOWN`. */
export function plain(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const at = (name: string | number): unknown => {
    let found: unknown;
    try {
      found = (value as Record<string | number, unknown>)[name];
    } catch {
      return UNKNOWN;
    }
    return plain(found);
  };
  if (Array.isArray(value)) return Array.from({ length: value.length }, (_, index) => at(index));
  return Object.fromEntries(Object.keys(value).map((name) => [name, at(name)]));
}

/** A resource of a stack as the review reads it. */
export const declaredBy = ({ urn, props, opts, propertyDependencies }: PolicyResource): DeclaredResource => ({
  urn,
  aliases: aliasesOf(opts),
  properties: plain(props) as Properties,
  propertyDependencies: Object.fromEntries(
    Object.entries(propertyDependencies).map(([name, resources]) => [
      name,
      resources.map((resource) => resource.urn),
    ]),
  ),
});

const aliasesOf = ({ aliases }: PolicyResourceOptions): readonly string[] => aliases ?? [];

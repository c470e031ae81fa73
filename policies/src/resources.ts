import type { PolicyResource, PolicyResourceOptions } from "@pulumi/policy";
import type { DeclaredResource } from "@tunnelplane/pulumi/review";
import { UNKNOWN } from "@tunnelplane/sdk/meaning";

export type Properties = Readonly<Record<string, unknown>>;

/** Properties as plain values. Pulumi's own throw where a value is not known yet; here it is `UNKNOWN`. */
export const plain = (properties: object): Properties =>
  Object.fromEntries(Object.keys(properties).map((name) => [name, at(properties, name)]));

function at(from: object, name: PropertyKey): unknown {
  let value: unknown;
  try {
    value = Reflect.get(from, name);
  } catch {
    return UNKNOWN;
  }
  if (typeof value !== "object" || value === null) return value;
  if (!Array.isArray(value)) return plain(value);
  const { length } = value;
  return Array.from({ length }, (_, index) => at(value, index));
}

/** A resource of a stack as the review reads it. */
export const declaredBy = ({ urn, props, opts, propertyDependencies }: PolicyResource): DeclaredResource => ({
  urn,
  aliases: aliasesOf(opts),
  properties: plain(props),
  propertyDependencies: Object.fromEntries(
    Object.entries(propertyDependencies).map(([name, resources]) => [
      name,
      resources.map((resource) => resource.urn),
    ]),
  ),
});

const aliasesOf = ({ aliases }: PolicyResourceOptions): readonly string[] => aliases ?? [];

import { type Definition, definitionOfId, didYouMean, plural, registry } from "@tunnelplane/sdk/contract";
import { UsageError } from "../failures";

/** The name of a kind on the command line: "tls-edges". */
export const nameOf = ({ kind }: Definition): string => plural(kind).replaceAll("_", "-");

export const KIND_NAMES: readonly string[] = registry.map(nameOf);

/** Keeps only letters, in lower case, so that tls-edges, tls_edge, TlsEdge and tlsEdges mean one kind. */
const bare = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

const byName = new Map(
  registry.flatMap((one) =>
    [one.kind, plural(one.kind), one.type, one.listKey].map((name) => [bare(name), one]),
  ),
);

export const findKind = (name: string): Definition | undefined => byName.get(bare(name));

export function kindNamed(name: string): Definition {
  const found = findKind(name);
  if (found) return found;
  throw new UsageError(
    `there is no kind "${name}"${didYouMean(name, KIND_NAMES) || `; there are: ${KIND_NAMES.join(", ")}`}`,
  );
}

/** The kind of an object, by the beginning of its id. */
export function kindOfId(id: string): Definition {
  const found = definitionOfId(id);
  if (found) return found;
  const kind = findKind(id);
  if (kind) throw new UsageError(`"${id}" is a kind of object; tunnelplane list ${nameOf(kind)} lists them`);
  throw new UsageError(
    `"${id}" is not an id of an object; ids begin with a prefix such as ${registry
      .slice(0, 4)
      .map(({ idPrefix }) => `${idPrefix}_`)
      .join(", ")}`,
  );
}

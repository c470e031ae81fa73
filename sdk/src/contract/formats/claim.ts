/** How deep in objects a claim may be. */
const MAX_LEVELS = 8;

/** The claim of Kubernetes that holds all others of a service account. */
const KUBERNETES = /^kubernetes\.io(?=\.|$)/;

/**
 * The path of a claim in a token: a dot leads into an object, `\.` is a dot of a name. A name with `:` or
 * `/` is one name, because URIs hold dots (RFC 7519 section 4.2), and so is `kubernetes.io`.
 */
export const pathOfClaim = (name: string): readonly string[] =>
  (/[:/]/.test(name) ? [name] : name.replace(KUBERNETES, "kubernetes\\.io").split(/(?<!\\)\./)).map((part) =>
    part.replaceAll("\\.", "."),
  );

/** How a path is written, for descriptions of fields. */
export const CLAIM_PATHS =
  "A dot leads into an object (`realm_access.roles`, `kubernetes.io.namespace`), `\\.` is a dot of a name, and a name with `:` or `/` is one name (`https://example.com/roles`).";

/** The mistake in the name of a claim; undefined if there is none. */
export function mistakeInClaim(name: string): string | undefined {
  const path = pathOfClaim(name);
  if (name !== "" && path.includes(""))
    return "must not begin or end with a dot or hold two in a row: a dot leads into an object, as in `realm_access.roles`";
  return path.length > MAX_LEVELS
    ? `leads through ${path.length} levels; at most ${MAX_LEVELS} are allowed`
    : undefined;
}

/** How deep in objects a claim may be. */
const MAX_LEVELS = 8;

/**
 * The place of a claim in a token: a dot leads into an object. A name with `:` or `/` is one name, because
 * URIs hold dots (RFC 7519 section 4.2).
 */
export const placeOfClaim = (name: string): readonly string[] =>
  /[:/]/.test(name) ? [name] : name.split(".");

/** The mistake in the name of a claim; undefined if there is none. */
export function mistakeInClaim(name: string): string | undefined {
  const place = placeOfClaim(name);
  if (name !== "" && place.includes(""))
    return "must not begin or end with a dot or hold two in a row: a dot leads into an object, as in `realm_access.roles`";
  return place.length > MAX_LEVELS
    ? `leads through ${place.length} levels; at most ${MAX_LEVELS} are allowed`
    : undefined;
}

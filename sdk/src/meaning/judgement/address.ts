/** The text of an address: a hostport, and the route's path if there is one. */
export function addressOf(
  hostport: string,
  route?: { readonly match: string; readonly match_type: string },
): string {
  const served = hostport.toLowerCase();
  return route ? `${served}${route.match_type === "exact_path" ? " = " : ""}${route.match}` : served;
}

/** The hostport of an address, which may name a route, too. */
export const hostportOf = (address: string): string => /^[^/ ]*/.exec(address)?.[0] ?? "";

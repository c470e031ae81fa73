/**
 * The form in which reserved domains are found: labels from the last to the first, in lower case, so that all
 * names below a domain stand together: `*.Example.com` is `com.example.*`.
 */
export const reservedKey = (domain: string): string => domain.toLowerCase().split(".").reverse().join(".");

/** Whether two names, each with `*.` in front or without, have a name in common. */
export function overlaps(one: string, other: string): boolean {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  return a === b || isBelow(a, b) || isBelow(b, a);
}

const isBelow = (name: string, wildcard: string): boolean =>
  wildcard.startsWith("*.") && name.endsWith(wildcard.slice(1));

/** The keys of the reserved domains that cover all of a name. At most 127 labels. */
export function coveringKeys(name: string): string[] {
  const labels = name.toLowerCase().split(".");
  return [
    reservedKey(name),
    ...labels.slice(1).map((_, index) => reservedKey(`*.${labels.slice(index + 1).join(".")}`)),
  ];
}

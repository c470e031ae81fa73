import { type Report, type ReviewedFinding, SEVERITIES } from "./report";

type Address = Report["addresses"][number];

/**
 * The findings of one rule and one cause together, in the order of their first. What one line of a program
 * declares many times is one cause.
 */
export const findingGroups = (findings: readonly ReviewedFinding[]): ReviewedFinding[][] =>
  groupedBy(findings, ({ rule, severity, cause, certain, accepted }) => {
    const { urn, id, kind, name, property, file, line } = cause;
    const location = line === undefined ? (urn ?? id ?? [kind, name]) : [file, line, kind];
    return [rule, severity, certain, accepted, location, property];
  });

/**
 * The addresses that look alike together, first those with the most severe findings.
 *
 * @param looks what a reader sees of an address besides its name
 */
export function addressGroups(
  { addresses, findings }: Pick<Report, "addresses" | "findings">,
  looks: (address: Address) => unknown,
): Address[][] {
  const severities = new Map<string, number>();
  for (const { address = "", severity, accepted } of findings) {
    const rank = accepted ? SEVERITIES.length : SEVERITIES.indexOf(severity);
    severities.set(address, Math.min(rank, severities.get(address) ?? rank));
  }
  const rankOf = ({ address }: Address) => severities.get(address) ?? SEVERITIES.length + 1;
  return groupedBy(
    addresses.toSorted((a, b) => rankOf(a) - rankOf(b)),
    looks,
  );
}

function groupedBy<T>(items: readonly T[], keyOf: (item: T) => unknown): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = JSON.stringify(keyOf(item));
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups.values()];
}

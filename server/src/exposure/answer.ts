import type { Comparison, Finding } from "@tunnelplane/sdk/meaning";

/** The limit on findings in an answer, the most severe first. */
const MAX_FINDINGS = 500;
/** The limit on each list of the comparison in an answer. */
const MAX_CHANGES = 50;

/** The effects of a change in an answer. */
interface Consequences extends Pick<Comparison, "access"> {
  readonly findings: readonly Finding[];
  readonly limits: readonly string[];
}

/** The part that fits into an answer. */
export function inPart({ findings, access }: Comparison, unseen: readonly string[]): Consequences {
  const limits = [...unseen];
  const first = <T>(all: readonly T[], most: number, words: string): readonly T[] => {
    if (all.length > most) limits.push(`${all.length - most} further ${words} are not listed.`);
    return all.slice(0, most);
  };
  return {
    findings: first(findings, MAX_FINDINGS, "findings"),
    access: {
      ...access,
      opened: first(access.opened, MAX_CHANGES, "addresses that open"),
      closed: first(access.closed, MAX_CHANGES, "addresses that close"),
      moved: first(access.moved, MAX_CHANGES, "addresses whose traffic moves"),
      unproved: first(access.unproved, MAX_CHANGES, "addresses that are not proved"),
    },
    limits,
  };
}

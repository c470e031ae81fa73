import { isObject, modulesOf } from "@tunnelplane/sdk/contract";
import type { Finding } from "@tunnelplane/sdk/meaning";
import { UNKNOWN } from "@tunnelplane/sdk/node";
import { type ChangeWarning, warningsOf } from "@tunnelplane/sdk/warnings";
import type { ResourceTarget, Wire } from "./target";

/**
 * The dangerous effects of a change of one resource, as a review would say them. Only new effects are listed:
 * an earlier run warned of the others.
 *
 * @param name of the resource in its program
 * @param before the properties declared before, in wire names; empty for a new resource
 */
export const consequencesOf = (
  { kind, definition }: Pick<ResourceTarget, "kind" | "definition">,
  name: string,
  before: Wire,
  after: Wire,
  isUnknown: (value: unknown) => boolean,
): ChangeWarning[] =>
  warningsOf({
    kind,
    name,
    before,
    after: Object.fromEntries(
      Object.entries(after).map(([field, value]) => [field, marked(value, isUnknown)]),
    ),
    modules: modulesOf(definition),
  });

/** A value in which one mark stands for all that is not known yet. */
function marked(value: unknown, isUnknown: (value: unknown) => boolean): unknown {
  if (isUnknown(value)) return UNKNOWN;
  if (Array.isArray(value)) return value.map((item) => marked(item, isUnknown));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, marked(item, isUnknown)]));
}

export const inWords = ({ sentence, rule }: Pick<Finding, "sentence" | "rule">): string =>
  `${sentence} (${rule})`;

/** Whether a warning says of the resource what a finding says of its object, or of one of its addresses. */
export const isSaid = ({ rule, address }: Finding, warnings: readonly ChangeWarning[]): boolean =>
  warnings.some(
    (warning) =>
      warning.rule === rule &&
      (warning.hostport === undefined
        ? address === undefined
        : address !== undefined && /^[^/ ]*/.exec(address)?.[0] === warning.hostport),
  );

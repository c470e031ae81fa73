import { type Definition, endFieldOf, endTimeOf } from "@tunnelplane/sdk/contract";
import type { Wire } from "./target";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** An end that is further away is not reported. */
const SOON_MS = 7 * DAY_MS;

/**
 * Sentences about an end that is near or has passed. Derived from the clock whenever a program is checked,
 * and recorded nowhere: an object that has ended is as declared.
 *
 * @param recorded the properties declared before, in wire names; empty for a new resource
 */
export function endWarnings(definition: Definition, recorded: Wire, completed: Wire, now: Date): string[] {
  // No answer says of a key that it has ended, but it ends like what allows something.
  const isKey = definition.kind === "api_key";
  const field = isKey ? "expires_at" : (endFieldOf(definition) ?? "");
  const end = isKey ? timeOf(completed.expires_at) : endTimeOf(definition, completed);
  if (end === undefined) return [];
  const left = end - now.getTime();
  if (left > SOON_MS) return [];
  if (left > 0) return [`ends in ${lengthOf(left)}, at ${completed[field]}`];
  return recorded[field] === completed[field]
    ? [
        `ended ${lengthOf(-left)} ago, at ${completed[field]}: it allows nothing. Remove it, or declare a later \`${field}\``,
      ]
    : [
        `\`${field}\` has passed by the clock here (${completed[field]}): the server refuses an end in the past`,
      ];
}

function timeOf(value: unknown): number | undefined {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

const UNITS = [
  [DAY_MS, "days"],
  [HOUR_MS, "h"],
  [MINUTE_MS, "min"],
] as const;

/** For example "3 h". Uses the largest unit that the duration has 1.5 of, so that rounding loses little. */
function lengthOf(ms: number): string {
  const [unit, name] = UNITS.find(([size]) => ms >= 1.5 * size) ?? [SECOND_MS, "s"];
  return `${Math.round(ms / unit)} ${name}`;
}

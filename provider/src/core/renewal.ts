import { camelCase, type Definition, durationSeconds, endOf, secondsOf } from "@tunnelplane/sdk/contract";
import type { Properties } from "./values";

/**
 * Declared properties with the end of an object whose program declares only its length: the recorded one,
 * until renewal is due. The creation chooses it, and no input holds it, so a preview and its run need not
 * agree on one. It is set at creation only, so a new object takes the place of the old one.
 *
 * @param recorded of the object; empty for a new one
 */
export function withEnd({ renewable }: Definition, recorded: Properties, desired: Properties): Properties {
  const seconds = secondsIn(desired.validFor);
  if (!renewable || seconds === 0) return desired;
  const [start, until] = [desired[camelCase(renewable.after)], camelCase(renewable.until)];
  const end = recorded[until];
  if (typeof end === "string" && recorded.validFor === desired.validFor && !isDue(end, desired))
    return { ...desired, [until]: end };
  // Without a start that is known, the time counts from now.
  const isTime = typeof start === "string" && !Number.isNaN(Date.parse(start));
  return { ...desired, [until]: endOf(isTime ? start : undefined, seconds, new Date()) };
}

/** A sentence that says so if a new object is made because the end of the old one is near. */
export function renewalReason(definition: Definition, recorded: Properties, desired: Properties): string[] {
  const until = camelCase(definition.renewable?.until ?? "");
  const [before, after] = [recorded[until], withEnd(definition, recorded, desired)[until]];
  const { validFor, renewBefore } = desired;
  if (typeof before !== "string" || !after || before === after || recorded.validFor !== validFor) return [];
  return [
    `${definition.type}: ends at ${before}, and less than its \`renewBefore\` of ${renewBefore} is left: a new one replaces it, which ends at ${after} if it is made now`,
  ];
}

function isDue(end: string, { renewBefore }: Properties): boolean {
  const before = secondsIn(renewBefore);
  return before > 0 && before > secondsOf(end) - Date.now() / 1000;
}

/** 0 for none, and for one that is not known. */
const secondsIn = (length: unknown): number => (typeof length === "string" ? durationSeconds(length) : 0);

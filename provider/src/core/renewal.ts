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

/**
 * What a preview says of the end that a new object will have, and why it takes the place of one that has the
 * recorded properties, if it does.
 */
export function endOfNew(
  definition: Definition,
  desired: Properties,
  replaced: Properties | undefined,
): string[] {
  const until = camelCase(definition.renewable?.until ?? "");
  const { validFor, renewBefore } = desired;
  if (!definition.renewable || secondsIn(validFor) === 0) return [];
  const end = `ends at ${withEnd(definition, {}, desired)[until]} if it is made now`;
  if (!replaced) return [end];
  const why = `ends at ${replaced[until]}, and less than its \`renewBefore\` of ${renewBefore} is left: `;
  return [`${isRenewed(definition, replaced, desired) ? why : ""}a new one replaces it, which ${end}`];
}

/** Whether a new object is made because the end of the old one is near. */
export function isRenewed({ renewable }: Definition, recorded: Properties, desired: Properties): boolean {
  const end = recorded[camelCase(renewable?.until ?? "")];
  return typeof end === "string" && recorded.validFor === desired.validFor && isDue(end, desired);
}

function isDue(end: string, { renewBefore }: Properties): boolean {
  const before = secondsIn(renewBefore);
  return before > 0 && before > secondsOf(end) - Date.now() / 1000;
}

/** 0 for none, and for one that is not known. */
const secondsIn = (length: unknown): number => (typeof length === "string" ? durationSeconds(length) : 0);

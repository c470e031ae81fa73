import { type Definition, durationSeconds, endOf, secondsOf } from "@tunnelplane/sdk/contract";
import type { Wire } from "./target";

/** Whether a program says of an object how long it shall last, so that its end is chosen here. */
export const renews = ({ renewable }: Definition, properties: Record<string, unknown>): boolean =>
  renewable !== undefined && properties.validFor !== undefined;

/**
 * Chooses the end of what a program declares by its length, and keeps it in later runs until it is time for a
 * new one. Because the end is an input that cannot change, everything else follows: the preview shows the old
 * and the new end, and the engine replaces the object, the new one first.
 *
 * @param recorded what was declared before, with the end that was chosen then; empty for what is new
 */
export function withEnd({ renewable }: Definition, recorded: Wire, desired: Wire, isUnknown: (value: unknown) => boolean): Wire {
  const { valid_for, renew_before } = desired;
  if (!renewable || valid_for === undefined) return desired;
  const { after, until } = renewable;
  const [end, start] = [recorded[until], desired[after]];
  if (typeof end === "string" && !isUnknown(end) && recorded.valid_for === valid_for) {
    const left = secondsOf(end) - Date.now() / 1000;
    const mayWait = renew_before === undefined || isUnknown(renew_before) || left >= durationSeconds(renew_before as string);
    if (mayWait) return { ...desired, [until]: end };
  }
  if (isUnknown(valid_for)) return desired;
  const chosen = endOf(isUnknown(start) ? undefined : (start as string | undefined), durationSeconds(valid_for as string), new Date());
  return { ...desired, [until]: chosen };
}

/** Why a new end was chosen, where that is because the old one is near. */
export function renewalReason({ renewable }: Definition, recorded: Wire, completed: Wire): string[] {
  if (!renewable) return [];
  const [before, after] = [recorded[renewable.until], completed[renewable.until]];
  const { renew_before } = completed;
  if (typeof before !== "string" || before === after || recorded.valid_for !== completed.valid_for || renew_before === undefined) return [];
  return [`ends at ${before}, and less than its \`renewBefore\` of ${renew_before} is left: a new one replaces it`];
}

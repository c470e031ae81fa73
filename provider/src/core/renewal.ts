import { type Definition, durationSeconds, endOf, secondsOf } from "@tunnelplane/sdk/contract";
import type { Wire } from "./target";

/** Whether a program declares how long an object is valid, so that the provider chooses its end. */
export const renews = ({ renewable }: Definition, properties: Record<string, unknown>): boolean =>
  renewable !== undefined && properties.validFor !== undefined;

/**
 * Chooses the end of an object whose program declares only its length, and keeps that end in later runs until
 * renewal is due. The end is an immutable input. So the preview shows the old and the new end, and the engine
 * replaces the object, creating the new one first.
 *
 * @param recorded the properties declared before, with the end chosen then; empty for a new resource
 */
export function withEnd(
  { renewable }: Definition,
  recorded: Wire,
  desired: Wire,
  isUnknown: (value: unknown) => boolean,
): Wire {
  const { valid_for, renew_before } = desired;
  if (!renewable || valid_for === undefined) return desired;
  const { after, until } = renewable;
  const [end, start] = [recorded[until], desired[after]];
  if (typeof end === "string" && !isUnknown(end) && recorded.valid_for === valid_for) {
    const secondsLeft = secondsOf(end) - Date.now() / 1000;
    const mayWait =
      renew_before === undefined ||
      isUnknown(renew_before) ||
      secondsLeft >= durationSeconds(String(renew_before));
    if (mayWait) return { ...desired, [until]: end };
  }
  if (isUnknown(valid_for)) return desired;
  const chosen = endOf(
    isUnknown(start) || start === undefined ? undefined : String(start),
    durationSeconds(String(valid_for)),
    new Date(),
  );
  return { ...desired, [until]: chosen };
}

/** A sentence that says so if a new end was chosen because the old one is near. */
export function renewalReason({ renewable }: Definition, recorded: Wire, completed: Wire): string[] {
  if (!renewable) return [];
  const [before, after] = [recorded[renewable.until], completed[renewable.until]];
  const { renew_before } = completed;
  if (
    typeof before !== "string" ||
    before === after ||
    recorded.valid_for !== completed.valid_for ||
    renew_before === undefined
  )
    return [];
  return [
    `ends at ${before}, and less than its \`renewBefore\` of ${renew_before} is left: a new one replaces it`,
  ];
}

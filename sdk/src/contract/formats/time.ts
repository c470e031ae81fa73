import { z } from "zod";
import { conditioned, text } from "../core/fields";

const DATE_TIME = z.iso.datetime({ offset: true });

/** A moment from 1970 on as RFC 3339 writes it, with its offset: kept as given, compared in whole seconds. */
export const timestamp = () =>
  conditioned(text(64), (value) => {
    // zod takes times without seconds, which RFC 3339 does not.
    if (!DATE_TIME.safeParse(value).success || !/:\d\d:\d\d/.test(value))
      return 'must be a time as RFC 3339 writes it, with its offset, for example "2027-01-31T08:00:00Z" or "2027-01-31T09:00:00+01:00"';
    return secondsOf(value) < 0 ? "must not be before 1970" : undefined;
  }).meta({ format: "date-time", examples: ["2027-01-31T08:00:00Z"] });

/** Seconds since 1970, floored: certificates count no smaller ones. */
export const secondsOf = (timestamp: string): number => Math.floor(Date.parse(timestamp) / 1000);

/** The timestamp of so many seconds since 1970. */
export const timestampOf = (seconds: number): string => new Date(seconds * 1000).toISOString().replace(".000Z", "Z");

const UNITS = { d: 86_400, h: 3_600, m: 60, s: 1 };
const DURATION = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/;
// A hundred years; what is longer is a slip, and would leave the years that RFC 3339 can write.
const LONGEST = 36_525 * UNITS.d;

/** A length of time as programs write it: "8h", "30m", "7d", "1d12h". */
export const duration = () =>
  conditioned(text(64), (value) => {
    if (!DURATION.test(value) || durationSeconds(value) === 0) return 'must be a length of time, for example "8h", "30m", "7d" or "1d12h"';
    return durationSeconds(value) > LONGEST ? "must not be longer than a hundred years" : undefined;
  }).meta({ examples: ["8h"] });

/** How many seconds a duration takes. */
export function durationSeconds(duration: string): number {
  const [, ...counts] = DURATION.exec(duration) ?? [];
  return Object.values(UNITS).reduce((sum, unit, index) => sum + Number(counts[index] ?? 0) * unit, 0);
}

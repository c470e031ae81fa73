import { z } from "zod";
import { conditioned, text } from "../core/fields";
import { mark } from "../core/marks";

const DATE_TIME = z.iso.datetime({ offset: true });

/**
 * A time from 1970 on in RFC 3339, with its offset. Kept as given but for the forms that few programs read:
 * `t` and `z` become capitals, and a leap second becomes the second after it (RFC 3339 section 5.6).
 */
export const timestamp = () =>
  mark(
    conditioned(text(64), (value) => {
      // zod accepts times without seconds, RFC 3339 does not.
      if (!DATE_TIME.safeParse(value).success || !/:\d\d:\d\d/.test(value))
        return 'must be a time in RFC 3339, with its offset, for example "2027-01-31T08:00:00Z" or "2027-01-31T09:00:00+01:00"';
      return secondsOf(value) < 0 ? "must not be before 1970" : undefined;
    }).meta({ format: "date-time", examples: ["2027-01-31T08:00:00Z"] }),
    { normal: plainTime },
  );

/** A time in whole seconds, such as certificates hold: a fraction is cut. */
export const wholeSeconds = () =>
  mark(timestamp(), { normal: (value) => plainTime(value).replace(/\.\d+/, "") });

function plainTime(value: string): string {
  const time = value.toUpperCase();
  if (!/T\d\d:59:60/.test(time)) return time;
  const before = new Date(time.replace(/:60(\.\d+)?/, ":59"));
  // Leap seconds come at midnight UTC.
  return /T23:59:59/.test(Number.isNaN(before.getTime()) ? "" : before.toISOString())
    ? timestampOf(before.getTime() / 1000 + 1)
    : time;
}

/** Seconds since 1970, rounded down, because certificates count in whole seconds. */
export const secondsOf = (timestamp: string): number => Math.floor(Date.parse(timestamp) / 1000);

/** The timestamp for seconds since 1970. */
export const timestampOf = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace(".000Z", "Z");

const UNITS = { d: 86_400, h: 3_600, m: 60, s: 1 };
const DURATION = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/;
// A hundred years. Anything longer is a mistake, and may go beyond the year 9999, the last in RFC 3339.
const MAX_SECONDS = 36_525 * UNITS.d;

/** A length of time in a program: "8h", "30m", "7d", "1d12h". */
export const duration = () =>
  conditioned(text(64), (value) => {
    if (!DURATION.test(value) || durationSeconds(value) === 0)
      return 'must be a length of time, for example "8h", "30m", "7d" or "1d12h"';
    return durationSeconds(value) > MAX_SECONDS ? "must not be longer than a hundred years" : undefined;
  }).meta({ examples: ["8h"] });

/** The seconds in a duration. */
export function durationSeconds(duration: string): number {
  const [, ...counts] = DURATION.exec(duration) ?? [];
  return Object.values(UNITS).reduce((sum, unit, index) => sum + Number(counts[index] ?? 0) * unit, 0);
}

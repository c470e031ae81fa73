import { duration, durationSeconds, secondsOf, timestampOf } from "../formats/time";
import type { Definition } from "./definition";
import { mark, type Rule } from "./marks";
import { camelCase } from "./names";

/** How long an object lasts of which a program says only when to renew it: what the server chooses by itself, too. */
const USUAL_VALIDITY = "24h";

/**
 * A resource type as programs declare it: what has an end also takes how long it shall last and when it
 * shall be made anew. The API knows only the end itself.
 */
export function asDeclared(definition: Definition): Definition {
  const { renewable, fields, rules, fill } = definition;
  if (!renewable) return definition;
  return {
    ...definition,
    fields: { ...fields, ...renewalFields(renewable.until) },
    rules: [...rules, soundRenewal(renewable.until)],
    fill: (value) => {
      const filled = fill(value);
      return filled.renew_before === undefined || filled[renewable.until] !== undefined ? filled : { valid_for: USUAL_VALIDITY, ...filled };
    },
  };
}

/** The end of what is good for so many seconds once it is both made and valid. */
export const endOf = (validAfter: string | undefined, seconds: number, now: Date): string =>
  timestampOf(Math.max(Math.floor(now.getTime() / 1000), validAfter === undefined ? 0 : secondsOf(validAfter)) + seconds);

const renewalFields = (until: string) => ({
  valid_for: mark(duration().optional(), { programOnly: true }).meta({
    description: `Length of the validity, for example "8h", "30d" or "1d12h", instead of a fixed \`${camelCase(until)}\`. Default: 24 hours. A change replaces it.`,
  }),
  renew_before: mark(duration().optional(), { programOnly: true }).meta({
    description: `A run of the program replaces it when less than this is left, for example "8h"; must be shorter than its validity. Default: never.`,
  }),
});

const soundRenewal = (until: string): Rule<Readonly<Record<string, string | undefined>>> =>
  function* ({ valid_for, renew_before, [until]: end }) {
    if (end !== undefined && valid_for !== undefined)
      yield { path: ["valid_for"], message: `cannot go with \`${until}\`; declare one of them` };
    if (end !== undefined && renew_before !== undefined)
      yield { path: ["renew_before"], message: `cannot move the end that \`${until}\` fixes; declare \`valid_for\` in its place` };
    if (valid_for === undefined || renew_before === undefined) return;
    if (durationSeconds(renew_before) >= durationSeconds(valid_for))
      yield {
        path: ["renew_before"],
        message: `is ${renew_before}, but the whole validity is ${valid_for}: it would be due at once; make it shorter`,
      };
  };

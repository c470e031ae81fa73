import { duration, durationSeconds, secondsOf, timestampOf } from "../formats/time";
import type { Definition } from "./definition";
import { mark, type Rule } from "./marks";
import { own } from "./narrow";
import { camelCase } from "./spelling";

/** The validity if a program says only when to renew; the server has the same default. */
const USUAL_VALIDITY = "24h";

/**
 * A resource type as programs declare it. Types whose objects end also take `valid_for` and `renew_before`;
 * the API knows only the end.
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
      return filled.renew_before === undefined || own(filled, renewable.until) !== undefined
        ? filled
        : { valid_for: USUAL_VALIDITY, ...filled };
    },
  };
}

/**
 * The end of a validity of so many seconds, counted from the creation or the start of the validity, whichever
 * is later.
 */
export const endOf = (validAfter: string | undefined, seconds: number, now: Date): string =>
  timestampOf(
    Math.max(Math.floor(now.getTime() / 1000), validAfter === undefined ? 0 : secondsOf(validAfter)) +
      seconds,
  );

const renewalFields = (until: string) => ({
  valid_for: mark(duration().optional(), { programOnly: true }).meta({
    description: `Length of the validity, for example "8h", "30d" or "1d12h", instead of a fixed \`${camelCase(until)}\`. Default: 24 hours. A change replaces it.`,
  }),
  renew_before: mark(duration().optional(), { programOnly: true }).meta({
    description: `When less time than this is left, for example "8h", the next run of the program replaces it. Must be shorter than the validity. Default: never.`,
  }),
});

const soundRenewal = (until: string): Rule<Readonly<Record<string, string | undefined>>> =>
  function* ({ valid_for, renew_before, [until]: end }) {
    if (end !== undefined && valid_for !== undefined)
      yield { path: ["valid_for"], message: `cannot go with \`${until}\`; declare one of them` };
    if (end !== undefined && renew_before !== undefined)
      yield {
        path: ["renew_before"],
        message: `cannot move the end that \`${until}\` fixes; declare \`valid_for\` in its place`,
      };
    if (valid_for === undefined || renew_before === undefined) return;
    if (durationSeconds(renew_before) >= durationSeconds(valid_for))
      yield {
        path: ["renew_before"],
        message: `is ${renew_before}, but the whole validity is ${valid_for}, so every run would renew it; make it shorter`,
      };
  };

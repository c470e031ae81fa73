import { z } from "zod";
import { timestamp } from "../formats/time";
import { type Definition, fieldsWhere } from "./definition";
import { mark, type Problem } from "./marks";
import { own } from "./narrow";
import { oncePer } from "./once";

/**
 * The field of types whose objects allow something, perhaps for a time only. Such a type also spreads {@link
 * endAnswer} into its computed fields and has {@link notExpired} as its `derive`; everything else follows.
 * @param then what is so from the end on, as the rest of a sentence
 * @param more a sentence
 */
export const endField = (then: string, more = "") => ({
  expires_at: mark(timestamp().nullable().optional(), { ends: true }).meta({
    description: `When it ends (RFC 3339), in the future by the server's clock. From then on ${then}; it stays, with \`expired\` true. ${more}Default null: never. May be changed, also to null.`,
  }),
});

export const endAnswer = () => ({
  expired: mark(z.boolean(), { byClock: true }).meta({
    description: "Whether `expires_at` has passed, by the server's clock when it answers.",
    examples: [false],
  }),
});

/** The stored value: never that it has ended, because a clock may have been wrong. */
export const notExpired = () => ({ expired: false });

/** The field with the end of a type's objects; undefined where they do not end by themselves. */
export const endFieldOf = oncePer(
  (definition: Definition): string | undefined => fieldsWhere(definition, (marks) => marks.ends)[0],
);

/** The field of answers that says whether an object has ended. */
export const endedFieldOf = oncePer(
  (definition: Definition): string | undefined => fieldsWhere(definition, (marks) => marks.byClock)[0],
);

/**
 * When what an object allows ends, in milliseconds since 1970; undefined for never, and where that is not
 * known. An end closes and never opens: a denying rule that another version let end goes on.
 */
export function endTimeOf(
  definition: Definition,
  fields: Readonly<Record<string, unknown>>,
): number | undefined {
  const field = endFieldOf(definition);
  const value = field === undefined || fields.action === "deny" ? undefined : own(fields, field);
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** Whether what an object allows has ended. @param now in milliseconds since 1970 */
export function hasEnded(
  definition: Definition,
  fields: Readonly<Record<string, unknown>>,
  now: number,
): boolean {
  const end = endTimeOf(definition, fields);
  return end !== undefined && end <= now;
}

/** A mistake in an end that was set or changed: one that has passed already. */
export function passedEnd(
  definition: Definition,
  {
    before = {},
    after,
    now,
  }: {
    readonly before?: Readonly<Record<string, unknown>>;
    readonly after: Readonly<Record<string, unknown>>;
    readonly now: Date;
  },
): Problem[] {
  const field = endFieldOf(definition);
  if (field === undefined || own(before, field) === own(after, field)) return [];
  return hasEnded(definition, after, now.getTime())
    ? [{ error: "invalid_field", path: [field], message: inThePast(now) }]
    : [];
}

export const inThePast = (now: Date): string => `must lie in the future; it is ${now.toISOString()} now`;

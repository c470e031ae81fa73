import { z } from "zod";
import type { Fields, Sent } from "./definition";
import { type Module, mark, type Reference, type ReferenceTarget, type Rule, type Variants } from "./marks";
import { own } from "./narrow";

/** A schema with its description. */
export const documented = <S extends z.ZodType>(schema: S, doc: string): S =>
  schema.meta({ description: doc });

/** A schema with one more condition: `mistakeIn` returns an error text, or undefined if the value is fine. */
export function conditioned<S extends z.ZodType>(
  schema: S,
  mistakeIn: (value: z.infer<S>) => string | undefined,
): S {
  return schema.superRefine((value, context) => {
    const message = mistakeIn(value);
    if (message) context.addIssue({ code: "custom", message });
  });
}

/** The limit on entries for lists and maps that have no limit of their own. */
export const MAX_ENTRIES = 100;

/** The limit on ids in a list of references. No list in a body may have more entries. */
const MAX_IDS = 1000;

/**
 * Text with a limit in UTF-8 bytes, as in the spec, or in characters for event subscriptions. Further
 * conditions see only texts within the limit, so they may be slow on long ones.
 */
export function text(limit: number, unit: "bytes" | "characters" = "bytes") {
  return z
    .string()
    .superRefine((value, context) => {
      const message = mistakeInLength(value, limit, unit);
      if (message) context.addIssue({ code: "custom", message, continue: false });
    })
    .meta({ maxLength: limit, [`x-max-${unit}`]: limit });
}

/** Text with a limit that must not be empty. */
export const word = (limit: number, unit: "bytes" | "characters" = "characters") =>
  conditioned(text(limit, unit), (value) => (value === "" ? "must not be empty" : undefined)).meta({
    minLength: 1,
  });

function mistakeInLength(value: string, limit: number, unit: "bytes" | "characters"): string | undefined {
  const size =
    unit === "bytes" ? Buffer.byteLength(value) : value.length <= limit ? value.length : [...value].length;
  if (size <= limit) return undefined;
  const counted =
    unit === "bytes" && size !== [...value].length
      ? `${size} bytes in UTF-8 (${[...value].length} characters)`
      : `${size} ${unit}`;
  return `is ${counted}; at most ${limit} ${unit} are allowed, so shorten it`;
}

/** A map with a limit on its entries. */
export const map = <V extends z.ZodType>(key: z.ZodType<string, string>, value: V, limit = MAX_ENTRIES) =>
  conditioned(z.record(key, value), (entries) =>
    Object.keys(entries).length > limit ? `must hold at most ${limit} entries` : undefined,
  ).meta({ maxProperties: limit });

/** An id in a body. Real ones have at most 36 characters. */
export const id = () => word(64);

/** The fields whose values no caller and no owner of any object can notice. */
export const UNNOTICED_FIELDS: readonly string[] = ["description", "metadata"];

/** spec "Conventions": optional, at most 255 bytes. */
export const description = (doc = "A description for people. At most 255 bytes.") =>
  text(255).default("").meta({ description: doc });

/** spec "Conventions": optional, at most 4096 bytes. */
export const metadata = () =>
  text(4096)
    .default("")
    .meta({ description: "Data of your own for machines, often JSON in a string. At most 4096 bytes." });

/**
 * The id of another object. Answers show `{ id, uri }` under `answeredAs`, or the same id if that is left
 * out.
 */
export const reference = (
  to: ReferenceTarget | readonly ReferenceTarget[],
  options: Omit<Reference, "to"> = {},
) => mark(id(), { reference: { to: [to].flat(), ...options } });

/** Ids of other objects. */
export const references = (to: ReferenceTarget, answeredAs: string) =>
  mark(ids(), { reference: { to: [to], answeredAs } });

/** A list of distinct ids. */
export const ids = () => distinct(z.array(id()).max(MAX_IDS));

/** A list whose entries differ from each other. */
export function distinct<E extends z.ZodType>(
  schema: z.ZodArray<E>,
  keyOf: (entry: z.output<E>) => unknown = (entry) => entry,
) {
  return schema.superRefine((entries, context) => {
    const seen = new Map<unknown, number>();
    entries.forEach((entry, index) => {
      const key = keyOf(entry);
      const first = seen.get(key);
      if (first === undefined) seen.set(key, index);
      else
        context.addIssue({
          code: "custom",
          path: [index],
          message: `repeats entry ${first}; name each once`,
        });
    });
  });
}

/** An object inside a resource. It accepts only the given fields. */
export function object<F extends Fields>(fields: F, { rules = [], ...marks }: ObjectMarks<F> = {}) {
  const { alternatives } = marks;
  return mark(z.strictObject({ ...fields }), {
    ...marks,
    rules: alternatives ? [exactlyOne(alternatives), ...rules] : rules,
  });
}

interface ObjectMarks<F extends Fields> {
  readonly name?: string;
  readonly alternatives?: readonly string[];
  readonly variants?: Variants;
  readonly rules?: Rule<Partial<Sent<F>>>[];
  readonly warnings?: Rule<Partial<Sent<F>>>[];
  readonly fill?: (value: Record<string, unknown>) => Record<string, unknown>;
}

/**
 * The rule that a list which restricts access is not empty while the module is enabled. A rule of the module,
 * so it checks only sent values.
 */
export const notEmptyWhileEnabled = (list: string, entries: string): Rule =>
  function* ({ enabled, [list]: ids }) {
    if (enabled !== false && Array.isArray(ids) && ids.length === 0)
      yield {
        path: [list],
        message: `must not be empty while the module is enabled, because an empty list could mean all or none; name ${entries}, or disable or remove the module`,
      };
  };

/** A module of an edge or a route: `enabled` and its fields; see spec "Rules common to modules". */
export function module<F extends Fields>(module: Module, fields: F, marks: ObjectMarks<F> = {}) {
  const enabled = z
    .boolean()
    .default(true)
    .meta({ description: "Whether the module is applied to traffic. Default true." });
  const schema = object<{ enabled: typeof enabled } & F>({ enabled, ...fields }, {
    name: module.name,
    ...marks,
  } as object);
  return mark(schema.optional().meta({ description: module.doc }), { module });
}

/** The user or bot that owns a credential. */
export const ownerId = () =>
  mark(id().optional(), {
    immutable: true,
    serverDefault: true,
    reference: { to: ["user", "bot_user"] },
  }).meta({
    description:
      "The user or bot that owns it. Default: the caller; only admins may name another. Set at creation only.",
  });

/** The rule that exactly one of some optional fields is set. */
export const exactlyOne = (names: readonly string[]): Rule =>
  function* (value) {
    const set = names.filter((name) => own(value, name) != null);
    const choices = names.map((name) => `\`${name}\``).join(", ");
    if (set[1] !== undefined)
      yield {
        path: [set[1]],
        message: `must be left out, because \`${set[0]}\` is set: exactly one of ${choices} is allowed`,
      };
    if (set.length === 0) yield { path: [], message: `must hold exactly one of ${choices}` };
  };

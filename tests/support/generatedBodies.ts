import {
  bare,
  createSchema,
  type Definition,
  elementOf,
  fieldsOf,
  isOptional,
  marksOf,
  sampleFields,
  validateCreate,
} from "@tunnelplane/sdk/contract";
import fc from "fast-check";
import { z } from "zod";
import { tableOf } from "./table";

type Json = Record<string, unknown>;
type Arbitrary = fc.Arbitrary<unknown>;

const { words, whole } = tableOf<{ words: string; whole: string[] }>(__dirname, "texts.yaml");
/** The schema decides which a field takes. */
const TEXTS = [...words.trim().split(/\s+/), ...whole];

/** Bodies of a type that the contract takes, with every field and every action in them now and then. */
export function bodiesOf(
  definition: Definition,
  ids: Readonly<Record<string, readonly string[]>>,
): fc.Arbitrary<Json> {
  const sample = sampleFields(definition);
  return arbitraryOf(createSchema(definition), sample, definition.kind, ids)
    .map((body) => validateCreate(definition, body))
    .filter(({ problems }) => problems.length === 0)
    .map(({ value }) => value);
}

function arbitraryOf(
  schema: z.ZodType,
  sample: unknown,
  path: string,
  ids: Readonly<Record<string, readonly string[]>>,
): Arbitrary {
  const inner = bare(schema);
  const { reference } = marksOf(schema);
  const { variants } = marksOf(inner);
  const element = elementOf(inner);
  if (reference) {
    const one = fc.constantFrom(...reference.to.flatMap((kind) => ids[kind] ?? [`${kind}_none`]));
    return element ? fc.uniqueArray(one, { minLength: 1, maxLength: 3 }) : one;
  }
  if (element) {
    const first = Array.isArray(sample) ? sample[0] : undefined;
    return fc.uniqueArray(arbitraryOf(element, first, `${path}[]`, ids), {
      minLength: 1,
      maxLength: 3,
      selector: JSON.stringify,
    });
  }
  const fields = fieldsOf(inner);
  if (fields) {
    const parts = fields.map(([name, field]) => {
      const value = arbitraryOf(field, (sample as Json | undefined)?.[name], `${path}.${name}`, ids);
      return [name, isOptional(field) ? fc.option(value, { nil: undefined, freq: 3 }) : value] as const;
    });
    const body = fc.record(Object.fromEntries(parts)).map(withoutUndefined);
    if (!variants) return body;
    const of = Object.entries(variants.shapes).map(([type, shape]) =>
      arbitraryOf(shape, undefined, `${path}(${type})`, ids).map((config) => ({ type, config })),
    );
    return fc.oneof(...of).map(({ type, config }) => ({ [variants.by]: type, [variants.field]: config }));
  }
  return leafOf(inner, sample, path);
}

const withoutUndefined = (body: object): Json =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));

function leafOf(inner: z.ZodType, sample: unknown, path: string): Arbitrary {
  if (inner instanceof z.ZodBoolean) return fc.boolean();
  if (inner instanceof z.ZodEnum) return fc.constantFrom(...inner.options);
  if (inner instanceof z.ZodLiteral) return fc.constantFrom(...inner.values);
  if (inner instanceof z.ZodNumber) {
    const [min, max] = [
      Math.max(inner.minValue ?? 0, -(2 ** 31)),
      Math.min(inner.maxValue ?? 2 ** 31, 2 ** 32 - 1),
    ];
    return fc.oneof(fc.constantFrom(min, max), fc.integer({ min, max }));
  }
  if (inner instanceof z.ZodRecord) return mapOf(inner, path);
  if (!(inner instanceof z.ZodString)) return fc.constantFrom({}, { team: "web", nested: [1, null, "%"] });
  const known = [...TEXTS, ...(typeof sample === "string" ? [sample] : [])].filter(
    (one) => inner.safeParse(one).success,
  );
  if (known.length === 0)
    throw new Error(`No text in TEXTS of tests/support/generatedBodies.ts is right for ${path}: add one`);
  const right = (one: string) => !/\p{Cs}/u.test(one) && inner.safeParse(one).success;
  const any = fc
    .string({ unit: "binary", maxLength: 8 })
    .map((one) => (right(one) ? one : (known[0] as string)));
  return fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: any });
}

function mapOf(inner: z.ZodRecord, path: string): Arbitrary {
  const right = (key: string, value: unknown) => inner.safeParse({ [key]: value }).success;
  const keys = TEXTS.filter((key) => ["a", 1, ["a"]].some((one) => right(key, one)));
  if (keys.length === 0)
    throw new Error(`No text in TEXTS of tests/support/generatedBodies.ts is a key of ${path}: add one`);
  const text = fc.constantFrom(...TEXTS);
  const value = fc.oneof(text, fc.integer({ min: 0, max: 100 }), fc.array(text, { maxLength: 3 }));
  const entries = fc.array(fc.tuple(fc.constantFrom(...keys), value), { maxLength: 3 });
  return entries
    .map((list) => Object.fromEntries(list.filter(([key, one]) => right(key, one))))
    .map((map) => (inner.safeParse(map).success ? map : {}));
}

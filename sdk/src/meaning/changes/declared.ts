import type { z } from "zod";
import { bare, elementOf, fieldsOf, marksOf } from "../../contract/core/marks";
import { own } from "../../contract/core/narrow";
import { oncePer } from "../../contract/core/once";
import { asDeclared } from "../../contract/core/renewal";
import { createSchema } from "../../contract/core/shape";
import { completed } from "../../contract/core/validate";
import { definitionNamed, registry } from "../../contract/registry";
import type { Model, ModelObject } from "../model";
import { canonical, inOrder, isObject } from "../values";
import { UNKNOWN } from "../world";

type Json = Readonly<Record<string, unknown>>;

const kinds = new Set<string>();

/** The schema of the fields that programs declare for a kind; undefined if the contract has no such kind. */
export function schemaOf(kind: string): z.ZodType | undefined {
  if (kinds.size === 0) for (const definition of registry) kinds.add(definition.kind);
  return kinds.has(kind) ? schemaFor(definitionNamed(kind)) : undefined;
}

const schemaFor = oncePer((definition: Parameters<typeof asDeclared>[0]) =>
  createSchema(asDeclared(definition)),
);

/**
 * The declared fields of an object in one form, whichever form they came in: with defaults, with identities
 * in the places of references, null for what is not set, and lists without an order sorted.
 */
export const declaredOf = (thing: ModelObject, model: Model): Json => declaredIn(model)(thing);

const declaredIn = oncePer((model: Model) =>
  oncePer((thing: ModelObject): Json => {
    const schema = schemaOf(thing.kind);
    const sent = schema && asSent(schema, thing.fields, model);
    const declared =
      schema && isObject(sent)
        ? settled(
            schema,
            completed(schema, sent, (value) => value === UNKNOWN),
          )
        : {};
    return isObject(declared) ? withoutEnd(thing.kind, declared) : {};
  }),
);

/**
 * Leaves out the end that follows from the declared length of a validity, because it depends on the time of
 * the review.
 */
function withoutEnd(kind: string, declared: Json): Json {
  const { renewable } = definitionNamed(kind);
  return renewable && declared.valid_for != null ? { ...declared, [renewable.until]: null } : declared;
}

/** The value with identities in place of ids, and without fields that only answers have. */
function asSent(schema: z.ZodType, value: unknown, model: Model): unknown {
  if (value === UNKNOWN || value === null || value === undefined) return value;
  if (marksOf(schema).reference) return referred(value, model);
  const element = elementOf(schema);
  if (element && Array.isArray(value)) return value.map((item) => asSent(element, item, model));
  const fields = fieldsOf(schema);
  if (!fields || !isObject(value)) return value;
  const sent = fields.map(([name, field]) => {
    const { reference } = marksOf(field);
    return [
      name,
      asSent(field, own(value, name) ?? own(value, reference?.answeredAs ?? name), model),
    ] as const;
  });
  return Object.fromEntries(sent.filter(([, item]) => item !== undefined));
}

function referred(value: unknown, model: Model): unknown {
  if (typeof value === "string") return value === UNKNOWN ? value : model.identityOf(value);
  if (Array.isArray(value)) return value.map((item) => referred(item, model));
  if (!isObject(value)) return value;
  if (typeof value.id === "string") return model.identityOf(value.id);
  // The keys of the map are the references.
  return Object.fromEntries(Object.entries(value).map(([id, item]) => [model.identityOf(id), item]));
}

function settled(schema: z.ZodType, value: unknown): unknown {
  if (value === undefined || value === null) return null;
  const element = elementOf(schema);
  if (element && Array.isArray(value)) {
    const items = value.map((item) => settled(element, item));
    return marksOf(schema).ordered ? items : inAnyOrder(items);
  }
  const fields = fieldsOf(bare(schema));
  if (!fields || !isObject(value)) return value;
  return Object.fromEntries(fields.map(([name, field]) => [name, settled(field, own(value, name))]));
}

function inAnyOrder(items: readonly unknown[]): unknown[] {
  const byText = new Map(items.map((item) => [canonical(item), item]));
  return [...byText].sort(([a], [b]) => inOrder(a, b)).map(([, item]) => item);
}

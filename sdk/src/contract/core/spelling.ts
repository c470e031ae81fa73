import type { z } from "zod";
import { elementOf, fieldsOf, marksOf, shapeOf } from "./marks";
import { own } from "./narrow";

/**
 * An object for people, its name first: `"shop" (edgtls_0ERWdYmHciyPtBdiFM2OsTqjQue)`; only its id where it
 * has no name.
 *
 * @param name as its program or catalogue has it, `resource_name` of the API
 */
export const nameAndId = (name: unknown, id: string): string =>
  typeof name === "string" && name !== "" && name !== id ? `${JSON.stringify(name)} (${id})` : id;

/** `client_secret` → `clientSecret`. */
export const camelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** `client_secret` → `ClientSecret`. */
export const pascalCase = (name: string): string => camelCase(`_${name}`);

/**
 * Renames the fields of a value from the wire's snake_case to camelCase, or back. Follows the schema: the
 * user's own names (labels, options) stay as they are. Unknown names stay too; validation reports
 * them.
 */
export function rename(
  schema: z.ZodType,
  value: Readonly<Record<string, unknown>>,
  to: "camelCase" | "wire",
): Record<string, unknown>;
export function rename(schema: z.ZodType, value: unknown, to: "camelCase" | "wire"): unknown;
export function rename(schema: z.ZodType, value: unknown, to: "camelCase" | "wire"): unknown {
  if (value === null || typeof value !== "object" || marksOf(schema).userKeys) return value;
  if (Array.isArray(value)) {
    const element = elementOf(schema);
    return element ? value.map((item) => rename(element, item, to)) : value;
  }
  const fields = fieldsOf(schema);
  if (!fields) return value;
  const byOldName = new Map(
    fields.map(([wire, field]) => {
      const camel = camelCase(wire);
      return to === "wire" ? [camel, { name: wire, field }] : [wire, { name: camel, field }];
    }),
  );
  const variant = variantOf(schema, value);
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const renamed = byOldName.get(name);
      // Of a field in both spellings neither may win: validation reports the name that stays.
      if (!renamed || (renamed.name !== name && Object.hasOwn(value, renamed.name))) return [name, item];
      const field = name === variant?.field ? variant.shape : renamed.field;
      return [renamed.name, rename(field, item, to)];
    }),
  );
}

/** The shape of a field that follows from another one: of an action's `config`, from its `type`. */
function variantOf(schema: z.ZodType, value: object): { field: string; shape: z.ZodType } | undefined {
  const { variants } = marksOf(schema);
  const shape = variants && own(variants.shapes, String(own(value, variants.by)));
  return shape && { field: variants.field, shape };
}

/** Longer names are cut in errors: unknown fields may have names of any length. */
const MAX_NAME_LENGTH = 100;

/** A path as text: `hostports[0]`, `labels["a-b"]`, `tls_termination.min_version`. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) => {
      if (typeof part === "number") return `[${part}]`;
      const name =
        String(part).length > MAX_NAME_LENGTH ? `${String(part).slice(0, MAX_NAME_LENGTH)}…` : String(part);
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return `[${JSON.stringify(name)}]`;
      return index === 0 ? name : `.${name}`;
    })
    .join("");
}

/** Converts a path to camelCase; the user's own names stay as they are. */
export function camelCasePath(schema: z.ZodType, path: readonly PropertyKey[]): PropertyKey[] {
  const [head, ...rest] = path;
  if (head === undefined) return [];
  const shape = shapeOf(schema);
  if (shape && typeof head === "string") {
    const field = own(shape, head);
    if (!field) return [...path];
    const { variants } = marksOf(schema);
    const shapes = head === variants?.field ? Object.values(variants.shapes) : [];
    const inside = shapes.find((variant) => own(shapeOf(variant) ?? {}, rest[0] ?? "")) ?? field;
    return [camelCase(head), ...(marksOf(inside).userKeys ? rest : camelCasePath(inside, rest))];
  }
  const element = elementOf(schema);
  return element ? [head, ...camelCasePath(element, rest)] : [...path];
}

/** Converts the field names in backticks to camelCase. */
export const camelCaseMessage = (message: string): string =>
  message.replace(/`([a-z0-9_]+)`/g, (_, name: string) => `\`${camelCase(name)}\``);

/** A name with the article that is spoken: "an SSH credential", "a TLS edge". */
export function withArticle(title: string): string {
  const spelledOut = /^[A-Z]{2}/.test(title);
  return (spelledOut ? /^[AEFHILMNORSX]/ : /^[aeiou]/).test(title) ? `an ${title}` : `a ${title}`;
}

/** The plural of a name: "policies", "addresses", "TLS edges". */
export const plural = (name: string): string =>
  /[^aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : `${name}${name.endsWith("ss") ? "es" : "s"}`;

/** A number of things: "1 object", "2 objects". */
export const counted = (count: number, name: string): string =>
  `${count} ${count === 1 ? name : plural(name)}`;

/** The paths of fields that have their wire name where camelCase is expected. */
export function wireNamesIn(schema: z.ZodType, value: unknown): PropertyKey[][] {
  if (value === null || typeof value !== "object" || marksOf(schema).userKeys) return [];
  const element = elementOf(schema);
  if (element && Array.isArray(value)) {
    return value.flatMap((item, index) => wireNamesIn(element, item).map((path) => [index, ...path]));
  }
  const shape = shapeOf(schema);
  if (!shape) return [];
  const fieldOfCamel = new Map(Object.entries(shape).map(([wire, field]) => [camelCase(wire), field]));
  return Object.entries(value).flatMap(([name, item]) => {
    const field = fieldOfCamel.get(name);
    if (field) return wireNamesIn(field, item).map((path) => [name, ...path]);
    return Object.hasOwn(shape, name) ? [[name]] : [];
  });
}

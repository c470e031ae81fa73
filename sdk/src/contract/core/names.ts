import { z } from "zod";
import { bare, marksOf } from "./marks";

/** `client_secret` → `clientSecret`. */
export const camelCase = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/**
 * Renames the fields of a value from the wire's snake_case to camelCase, or back. Follows the schema,
 * so that names which are the user's own (labels, config, options) stay as they are; names that the
 * schema does not know stay too, for validation to complain about.
 */
export function rename(schema: z.ZodType, value: unknown, to: "camelCase" | "wire"): unknown {
  const inner = bare(schema);
  if (value === null || typeof value !== "object" || marksOf(schema).userKeys) return value;
  if (Array.isArray(value)) {
    return inner instanceof z.ZodArray ? value.map((item) => rename(inner.element as z.ZodType, item, to)) : value;
  }
  if (!(inner instanceof z.ZodObject)) return value;
  const shape = inner.shape as Record<string, z.ZodType>;
  const byOldName = new Map(
    Object.keys(shape).map((wire) => (to === "wire" ? [camelCase(wire), wire] : [wire, camelCase(wire)]) as [string, string]),
  );
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const renamed = byOldName.get(name);
      if (!renamed) return [name, item];
      return [renamed, rename(shape[to === "wire" ? renamed : name] as z.ZodType, item, to)];
    }),
  );
}

/** Names of fields that somebody made up may be of any length, and are repeated in errors. */
const LONGEST_NAME = 100;

/** A path as people write it: `hostports[0]`, `labels["a-b"]`, `tls_termination.min_version`. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) => {
      if (typeof part === "number") return `[${part}]`;
      const name = String(part).length > LONGEST_NAME ? `${String(part).slice(0, LONGEST_NAME)}…` : String(part);
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return `[${JSON.stringify(name)}]`;
      return index === 0 ? name : `.${name}`;
    })
    .join("");
}

/** A path through a schema in camelCase spelling; the user's own names stay as they are. */
export function camelCasePath(schema: z.ZodType, path: readonly PropertyKey[]): PropertyKey[] {
  const [head, ...rest] = path;
  if (head === undefined) return [];
  const inner = bare(schema);
  if (inner instanceof z.ZodObject && typeof head === "string") {
    const field = inner.shape[head] as z.ZodType | undefined;
    return field ? [camelCase(head), ...(marksOf(field).userKeys ? rest : camelCasePath(field, rest))] : [...path];
  }
  if (inner instanceof z.ZodArray) return [head, ...camelCasePath(inner.element as z.ZodType, rest)];
  return [...path];
}

/** Field names that stand in backticks, in camelCase. */
export const camelCaseMessage = (message: string): string =>
  message.replace(/`([a-z0-9_]+)`/g, (_, name: string) => `\`${camelCase(name)}\``);

/** A name with its article, as it is spoken: "an SSH credential", "a TLS edge". */
export function withArticle(title: string): string {
  const spelledOut = /^[A-Z]{2}/.test(title);
  return (spelledOut ? /^[AEFHILMNORSX]/ : /^[aeiou]/).test(title) ? `an ${title}` : `a ${title}`;
}

/** More than one of them: "policies", "TLS edges". */
export const plural = (name: string): string => (/[^aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`);

/** The paths of fields that are spelled as on the wire where camelCase is expected. */
export function wireNamesIn(schema: z.ZodType, value: unknown): PropertyKey[][] {
  const inner = bare(schema);
  if (value === null || typeof value !== "object" || marksOf(schema).userKeys) return [];
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    return value.flatMap((item, index) => wireNamesIn(inner.element as z.ZodType, item).map((path) => [index, ...path]));
  }
  if (!(inner instanceof z.ZodObject)) return [];
  const shape = inner.shape as Record<string, z.ZodType>;
  const wireOf = new Map(Object.keys(shape).map((wire) => [camelCase(wire), wire]));
  return Object.entries(value).flatMap(([name, item]) => {
    const wire = wireOf.get(name);
    if (wire) return wireNamesIn(shape[wire] as z.ZodType, item).map((path) => [name, ...path]);
    return Object.hasOwn(shape, name) ? [[name]] : [];
  });
}

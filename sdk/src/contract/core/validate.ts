import { z } from "zod";
import type { Definition } from "./definition";
import {
  bare,
  defaultOf,
  elementOf,
  fieldsOf,
  isOptional,
  marksOf,
  type Problem,
  type Rule,
  shapeOf,
} from "./marks";
import { own } from "./narrow";
import { createSchema, updateSchema } from "./shape";
import { didYouMean } from "./similarity";
import { withArticle } from "./spelling";

type Json = Record<string, unknown>;

export interface Validated {
  /** The value with its defaults; do not use it if there are problems. */
  readonly value: Json;
  readonly problems: readonly Problem[];
}

/** Whether a value is not known yet, as in a preview. Such values pass, and the rest is still checked. */
export type IsUnknown = (value: unknown) => boolean;

/** Checks the body of a creation and fills in the defaults. */
export function validateCreate(definition: Definition, body: unknown, isUnknown?: IsUnknown): Validated {
  return validateObject(createSchema(definition), body, { isUnknown });
}

/**
 * Checks the body of an update. Rules across fields are checked on the merged object, by {@link checkRules}.
 */
export function validateUpdate(definition: Definition, body: unknown): Validated {
  const validated = validateObject(updateSchema(definition), body, { keepZeroValues: true });
  return {
    ...validated,
    problems: validated.problems.map((problem) => explainImmutable(definition, problem)),
  };
}

/** Checks the body of a module's PUT and fills in the defaults. */
export function validateModule(schema: z.ZodType, body: unknown): Validated {
  return validateObject(bare(schema) as z.ZodObject, body, {});
}

/** Checks the rules across the fields of a complete object. */
export function checkRules(definition: Definition, value: Json): Problem[] {
  return rulesOf(definition.rules, value, []);
}

/** Broken warnings, as far as the value is known. */
export function checkWarnings(definition: Definition, value: Json, isUnknown: IsUnknown): Problem[] {
  return allRules(createSchema(definition), without(value, isUnknown), [], faultsOf([]), "warnings");
}

interface Options {
  readonly isUnknown?: IsUnknown;
  /**
   * Whether "" and 0 are values, as in updates, if the field allows them. In creations they mean "left out",
   * because older clients send them.
   */
  readonly keepZeroValues?: boolean;
}

const nothingIsUnknown: IsUnknown = () => false;

function validateObject(
  schema: z.ZodObject,
  body: unknown,
  { isUnknown = nothingIsUnknown, keepZeroValues }: Options,
): Validated {
  const value = complete(schema, body, isUnknown, keepZeroValues) as Json;
  const parsed = schema.safeParse(value);
  const unknown = pathsOf(value, isUnknown);
  let suggestions = MAX_SUGGESTIONS;
  const suggest: Suggest = (name, known) => (suggestions-- > 0 ? didYouMean(name, known, "`") : "");
  const problems = parsed.success
    ? []
    : parsed.error.issues
        .filter((issue) => !unknown.some((path) => startsWith(issue.path, path)))
        .flatMap((issue) => problemsOf(schema, value, issue, suggest));
  const broken = allRules(schema, without(value, isUnknown), [], faultsOf(problems));
  // An unknown part could be what the object lacks, so drop problems of objects with unknown parts.
  problems.push(...broken.filter((problem) => !unknown.some((path) => startsWith(path, problem.path))));
  return { value, problems };
}

/** A body that was sent earlier, with defaults for fields that were added to its shape since. */
export const withDefaults = (schema: z.ZodType, sent: Json): Json =>
  complete(schema, sent, nothingIsUnknown, true) as Json;

/** A sent value whose parts may be unknown, as a server would store it: with defaults at every depth. */
export const completed = (schema: z.ZodType, sent: Json, isUnknown: IsUnknown): Json =>
  complete(schema, sent, isUnknown) as Json;

/** Drops values that mean "left out", then fills in defaults, at every depth. */
function complete(schema: z.ZodType, value: unknown, isUnknown: IsUnknown, keepZeroValues = false): unknown {
  if (isUnknown(value)) return value;
  if (typeof value === "string") return marksOf(schema).normal?.(value) ?? value;
  const element = elementOf(schema);
  if (element && Array.isArray(value)) return value.map((item) => complete(element, item, isUnknown));
  const fields = fieldsOf(schema);
  if (!fields || value === null || typeof value !== "object" || Array.isArray(value)) return value;
  const completed: Json = { ...value };
  for (const [name, field] of fields) {
    // `{}` is a module with its defaults.
    const { module, takesZero } = marksOf(field);
    const dropsZero = !module && !takesZero && !(keepZeroValues && takes(field, own(completed, name)));
    const dropsNull = !(keepZeroValues && marksOf(field).ends);
    if (
      isOptional(field) &&
      ((own(completed, name) === null && dropsNull) || (isZero(field, own(completed, name)) && dropsZero))
    )
      delete completed[name];
    if (own(completed, name) === undefined) {
      delete completed[name];
      const fallback = defaultOf(field);
      if (fallback !== undefined)
        completed[name] = complete(field, structuredClone(fallback), isUnknown, true);
    } else {
      completed[name] = complete(field, own(completed, name), isUnknown);
    }
  }
  return marksOf(bare(schema)).fill?.(completed) ?? completed;
}

const takes = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;

/** "", 0, and {} for a map. For an object with fields of its own, {} may be complete. */
function isZero(schema: z.ZodType, value: unknown): boolean {
  if (value === "" || value === 0) return true;
  return (
    bare(schema) instanceof z.ZodRecord &&
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.keys(value).length === 0
  );
}

/**
 * As many misspelled fields of one object are looked up: comparing names takes time, and a body can have a
 * hundred thousand.
 */
const MAX_SUGGESTIONS = 3;

type Suggest = (name: string, known: readonly string[]) => string;

function problemsOf(schema: z.ZodType, value: unknown, issue: z.core.$ZodIssue, suggest: Suggest): Problem[] {
  if (issue.code === "unrecognized_keys") {
    const accepted = Object.keys(shapeOf(schemaAt(schema, issue.path)) ?? {});
    return issue.keys.map((key) => ({
      path: [...issue.path, key],
      message: `is not a field here; accepted: ${accepted.map((name) => `\`${name}\``).join(", ")}${suggest(key, accepted)}`,
      error: "unknown_field",
    }));
  }
  if (issue.code === "invalid_union") {
    const fitting = issue.errors.find((issues) => !issues.some(isOfAnotherType));
    if (fitting)
      return fitting.flatMap((one) =>
        problemsOf(schema, value, { ...one, path: [...issue.path, ...one.path] }, suggest),
      );
  }
  return [{ path: issue.path, message: messageOf(issue, value), error: "invalid_field" }];
}

const isOfAnotherType = ({ path, code }: z.core.$ZodIssue): boolean =>
  path.length === 0 && (code === "invalid_type" || code === "invalid_value");

/** Turns an issue that zod has with a value into an error text. */
export function messageOf(issue: z.core.$ZodIssue, value: unknown): string {
  const missing = issue.path.length > 0 && valueAt(value, issue.path) === undefined;
  return missing ? `is required and ${wordsOf(issue)}` : wordsOf(issue);
}

function wordsOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${named(issue.expected)}`;
    case "invalid_value":
      return `must be ${issue.values.length > 2 ? "one of " : ""}${issue.values.map((value) => JSON.stringify(value)).join(issue.values.length > 2 ? ", " : " or ")}`;
    case "too_small":
      return issue.origin === "array" || issue.origin === "string"
        ? `must not be empty`
        : `must be at least ${issue.minimum}`;
    case "too_big":
      return issue.origin === "array"
        ? `must hold at most ${issue.maximum} entries`
        : `must be at most ${issue.maximum}`;
    case "invalid_key":
      return issue.issues.map((inner) => inner.message).join("; ");
    case "invalid_union":
      return issue.errors.flatMap(([first]) => (first ? wordsOf(first) : [])).join(" or ");
    default:
      return issue.message;
  }
}

function named(type: string): string {
  const names: Record<string, string> = {
    array: "a list",
    record: "an object",
    int: "a whole number",
    boolean: "true or false",
  };
  return own(names, type) ?? withArticle(type);
}

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((at, part) => own(at as Record<PropertyKey, unknown> | undefined | null, part), value);

function explainImmutable(definition: Definition, problem: Problem): Problem {
  const [name] = problem.path;
  const field =
    problem.error === "unknown_field" && problem.path.length === 1 && own(definition.fields, String(name));
  if (!field || !marksOf(field).immutable) return problem;
  return {
    ...problem,
    message: `is set at creation only; create a new ${definition.title} to have another`,
    error: "immutable_field",
  };
}

interface Faults {
  /** The paths with an error. */
  readonly at: ReadonlySet<string>;
  /** The paths with an error in them or below them. */
  readonly within: ReadonlySet<string>;
}

const pathKey = (path: readonly PropertyKey[]): string => JSON.stringify(path);

const faultsOf = (problems: readonly Problem[]): Faults => ({
  at: new Set(problems.map(({ path }) => pathKey(path))),
  within: new Set(
    problems.flatMap(({ path }) => [...path, path.length].map((_, depth) => pathKey(path.slice(0, depth)))),
  ),
});

function allRules(
  schema: z.ZodType,
  value: unknown,
  path: PropertyKey[],
  faults: Faults,
  kind: "rules" | "warnings" = "rules",
): Problem[] {
  const element = elementOf(schema);
  if (element && Array.isArray(value)) {
    if (faults.at.has(pathKey(path))) return []; // zod did not check the entries of a list that is too long
    return value.flatMap((item, index) => allRules(element, item, [...path, index], faults, kind));
  }
  const fields = fieldsOf(schema);
  if (!fields || value === null || typeof value !== "object") return [];
  const nested = fields.flatMap(([name, field]) =>
    allRules(field, own(value as Json, name), [...path, name], faults, kind),
  );
  // Rules rely on the shapes of the fields that they read, so run them on valid objects only.
  const sound = nested.length === 0 && !faults.within.has(pathKey(path));
  if (!sound && kind === "rules") return nested;
  return [...nested, ...rulesOf(marksOf(bare(schema))[kind] ?? [], value as Json, path)];
}

function rulesOf(rules: readonly Rule[], value: Json, path: PropertyKey[]): Problem[] {
  return rules.flatMap((rule) =>
    [...rule(value)].map((found) => ({
      path: [...path, ...found.path],
      message: found.message,
      error: "invalid_field" as const,
    })),
  );
}

function schemaAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType {
  const one = objectAmong(bare(schema));
  const [head, ...rest] = path;
  const next = head === undefined ? undefined : (elementOf(one) ?? own(shapeOf(one), String(head)));
  return next ? schemaAt(next, rest) : one;
}

/** The option of a union that has fields, if it is one. At most one has. */
const objectAmong = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodUnion
    ? ((schema.options as readonly z.ZodType[]).find((option) => shapeOf(option)) ?? schema)
    : schema;

function pathsOf(value: unknown, isUnknown: IsUnknown, path: PropertyKey[] = []): PropertyKey[][] {
  if (isUnknown === nothingIsUnknown) return [];
  if (isUnknown(value)) return [path];
  if (Array.isArray(value)) return value.flatMap((item, index) => pathsOf(item, isUnknown, [...path, index]));
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([name, item]) => pathsOf(item, isUnknown, [...path, name]));
}

function without(value: unknown, isUnknown: IsUnknown): unknown {
  if (isUnknown === nothingIsUnknown) return value;
  if (isUnknown(value)) return undefined;
  if (Array.isArray(value)) return value.map((item) => without(item, isUnknown));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => !isUnknown(item))
      .map(([name, item]) => [name, without(item, isUnknown)]),
  );
}

const startsWith = (path: readonly PropertyKey[], prefix: readonly PropertyKey[]): boolean =>
  prefix.length <= path.length && prefix.every((part, index) => part === path[index]);

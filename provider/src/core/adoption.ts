import { camelCase, camelCasePath, createSchema, type Definition, formatPath, marksOf, secretPathsOf } from "@tunnelplane/sdk/contract";
import { type Properties, same } from "./values";

/** The most differences that one message lists. */
const MOST_LISTED = 20;
/** Longer values are left out of messages: certificates, keys, bodies. */
const LONGEST_SHOWN = 80;

interface Difference {
  readonly path: readonly PropertyKey[];
  readonly is: unknown;
  readonly declared: unknown;
}

/**
 * Why an object may not be adopted by what a program declares: each place where it is otherwise. What is not declared
 * counts with its default; modules that are not declared, and what the server chooses, may be anything.
 *
 * @param actual what the object is, as the state would record it
 * @param desired what is declared, with its defaults
 * @param hidden properties whose values the program keeps secret
 */
export function refusalToAdopt(
  definition: Definition,
  id: string,
  { actual, desired, hidden }: { actual: Properties; desired: Properties; hidden: readonly string[] },
  isUnknown: (value: unknown) => boolean,
): string | undefined {
  const names = Object.entries(definition.fields)
    .filter(([name, schema]) => {
      const { module, serverDefault, programOnly } = marksOf(schema);
      return desired[camelCase(name)] !== undefined || !(module || serverDefault || programOnly);
    })
    .map(([name]) => camelCase(name));
  const found = names.flatMap((name) => differences(actual[name], desired[name], [name], isUnknown));
  if (found.length === 0) return undefined;
  const secrets = secretPathsOf(definition).map((path) => formatPath(camelCasePath(createSchema(definition), path.split("."))));
  const listed = found.slice(0, MOST_LISTED).map((difference) => {
    const path = formatPath(difference.path);
    const isSecret =
      hidden.includes(String(difference.path[0])) || secrets.some((secret) => secret === path || secret.startsWith(`${path}.`));
    return inWords(path, difference, isSecret);
  });
  const rest = found.length > MOST_LISTED ? `; and ${found.length - MOST_LISTED} more` : "";
  return `adopts ${id}, which is otherwise: ${listed.join("; ")}${rest}. Declare what is there, or change the object first`;
}

function differences(is: unknown, declared: unknown, path: readonly PropertyKey[], isUnknown: (value: unknown) => boolean): Difference[] {
  if (isUnknown(declared) || same(is, declared)) return [];
  const both = [is, declared];
  const arrays = both.every(Array.isArray);
  if (!arrays && !both.every((value) => typeof value === "object" && value !== null && !Array.isArray(value)))
    return [{ path, is, declared }];
  const [before, after] = both as [Properties, Properties];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) => differences(before[key], after[key], [...path, arrays ? Number(key) : key], isUnknown));
}

function inWords(path: string, { is, declared }: Difference, isSecret: boolean): string {
  const [before, after] = [is, declared].map((value) => JSON.stringify(value ?? null));
  if (isSecret || [before, after].some((text) => (text as string).length > LONGEST_SHOWN)) return `${path} is another than declared`;
  return `${path} is ${is == null ? "not set" : before}, ${declared == null ? "not declared" : `declared ${after}`}`;
}

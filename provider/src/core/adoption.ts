import {
  camelCase,
  camelCasePath,
  createSchema,
  type Definition,
  formatPath,
  marksOf,
  secretPathsOf,
} from "@tunnelplane/sdk/contract";
import { type Difference, differences, type Properties } from "./values";

/** How many differences a message lists at most. */
const MAX_LISTED = 20;
/** Longer values are left out of messages: certificates, keys, bodies. */
const MAX_SHOWN_LENGTH = 80;

/**
 * Why a program may not adopt an object: the properties in which the two differ. A property that the program
 * leaves out counts with its default. Modules that it leaves out, and properties that the server chooses, may
 * have any value.
 *
 * @param actual the object's properties, as the state would record them
 * @param desired the declared properties, with their defaults
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
  const secrets = secretPathsOf(definition).map((path) =>
    formatPath(camelCasePath(createSchema(definition), path.split("."))),
  );
  const listed = found.slice(0, MAX_LISTED).map((difference) => {
    const path = formatPath(difference.path);
    const isSecret =
      hidden.includes(String(difference.path[0])) ||
      secrets.some((secret) => secret === path || secret.startsWith(`${path}.`));
    return inWords(path, difference, isSecret);
  });
  const rest = found.length > MAX_LISTED ? `; and ${found.length - MAX_LISTED} more` : "";
  return `cannot import ${id}, which differs from the program: ${listed.join("; ")}${rest}. Declare the values that the object has, or change the object first`;
}

function inWords(path: string, { actual, declared }: Difference, isSecret: boolean): string {
  const [before = "", after = ""] = [actual, declared].map((value) => JSON.stringify(value ?? null));
  if (isSecret || before.length > MAX_SHOWN_LENGTH || after.length > MAX_SHOWN_LENGTH)
    return `${path} differs`;
  return `${path} is ${actual == null ? "not set" : before}, ${declared == null ? "not declared" : `declared ${after}`}`;
}

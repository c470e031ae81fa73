import type { z } from "zod";
import type { Definition } from "./core/definition";
import { fieldsOf, type Marks, marksOf } from "./core/marks";
import { isObject, own } from "./core/narrow";
import { oncePer } from "./core/once";
import { definitionOf } from "./registry";

type Json = Record<string, unknown>;

/** The place of a secret: the object that holds it, and its path in that object, with the key in a map. */
export interface SecretPlace {
  readonly id: string;
  readonly path: string;
}

/**
 * The paths of an object's own secrets in answers, for example `oidc.client_secret`. Found by the contract's
 * marks. At a path there is a text, or a map whose values are secrets.
 */
export const secretPathsOf = oncePer((definition: Definition) =>
  Object.entries({ ...definition.fields, ...definition.computed }).flatMap(([name, schema]) =>
    pathsBelow(name, schema, ({ secret }) => secret),
  ),
);

/** Those of them that only gateways read. */
export const writeOnlyPathsOf = oncePer((definition: Definition) =>
  Object.entries(definition.fields).flatMap(([name, schema]) =>
    pathsBelow(name, schema, ({ writeOnly }) => writeOnly),
  ),
);

/** The paths of fields inside of others whose values the server chooses where a request leaves them out. */
export const chosenPathsOf = oncePer((definition: Definition): string[] =>
  Object.entries(definition.fields).flatMap(([name, schema]) =>
    marksOf(schema).serverDefault ? [] : pathsBelow(name, schema, ({ serverDefault }) => serverDefault),
  ),
);

/** Whether objects of a kind hold secrets, themselves or in embedded objects. */
export const holdsSecrets = oncePer(
  (definition: Definition): boolean =>
    secretPathsOf(definition).length > 0 || embeddedIn(definition).some(([, child]) => holdsSecrets(child)),
);

/**
 * Copies an object in the form of answers, and replaces each secret that is set; `undefined` leaves it out.
 * The secrets of embedded objects have those objects' ids in their place.
 */
export function mapSecrets(
  definition: Definition,
  document: Json,
  replace: (secret: string, place: SecretPlace) => unknown,
): Json {
  let mapped = document;
  for (const path of secretPathsOf(definition)) {
    mapped = mapAt(mapped, path.split("."), (secret, key) =>
      replace(secret, { id: document.id as string, path: key === undefined ? path : `${path}.${key}` }),
    );
  }
  for (const [name, child] of embeddedIn(definition)) {
    const children = own(mapped, name) as Json[] | undefined;
    if (children) mapped = { ...mapped, [name]: children.map((one) => mapSecrets(child, one, replace)) };
  }
  return mapped;
}

/**
 * The secrets that are set in an object in the form of answers, by their paths; not those of embedded
 * objects.
 */
export function secretsIn(definition: Definition, document: Json): Map<string, string> {
  const found = new Map<string, string>();
  if (secretPathsOf(definition).length > 0)
    mapSecrets(definition, document, (secret, { path }) => void found.set(path, secret));
  return found;
}

/** The paths of an object's own secrets that are set before and after, and differ. */
export function exchangedSecrets(definition: Definition, before: Json, after: Json): string[] {
  const [was, is] = [secretsIn(definition, before), secretsIn(definition, after)];
  return [...was].flatMap(([path, secret]) => {
    const now = is.get(path);
    return now !== undefined && now !== secret ? [path] : [];
  });
}

function pathsBelow(path: string, schema: z.ZodType, are: (marks: Marks) => unknown): string[] {
  const marks = marksOf(schema);
  if (are(marks)) return [path];
  if (marks.embeds) return [];
  return (fieldsOf(schema) ?? []).flatMap(([name, field]) => pathsBelow(`${path}.${name}`, field, are));
}

/** The lists of embedded objects in a kind: the field's name and the definition of its entries. */
export const embeddedIn = oncePer((definition: Definition) =>
  Object.entries(definition.computed).flatMap(([name, schema]): [string, Definition][] => {
    const { embeds } = marksOf(schema);
    return embeds ? [[name, definitionOf(embeds.kind)]] : [];
  }),
);

/** @param replace gets the key too, where the secrets are the values of a map */
function mapAt(
  value: Json,
  [name, ...rest]: string[],
  replace: (secret: string, key?: string) => unknown,
): Json {
  const item = name === undefined ? undefined : own(value, name);
  if (name === undefined || item === undefined || item === null) return value;
  const mapped =
    rest.length > 0
      ? mapAt(item as Json, rest, replace)
      : isObject(item)
        ? Object.keys(item).reduce<Json>((map, key) => mapAt(map, [key], (secret) => replace(secret, key)), {
            ...item,
          })
        : typeof item === "string" && item !== ""
          ? replace(item)
          : item;
  if (mapped !== undefined) return { ...value, [name]: mapped };
  const { [name]: _, ...others } = value;
  return others;
}

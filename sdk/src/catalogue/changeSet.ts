import type { SetObject } from "../client/generated";
import { createSchema, formatPath, rename } from "../contract";
import type { Entry } from "./entries";
import { isLater } from "./file";
import type { Links } from "./references";

/** The name of an entry in a change set: `tls_edge/app`. */
export const setNameOf = ({ definition, name }: Entry): string => `${definition.kind}/${name}`;

/**
 * Turns the entries of a catalogue into objects of a change set, with names as keys. Resolves values that are
 * known later.
 */
export const setObjectsOf = (entries: readonly Entry[], links: Links): SetObject[] =>
  entries.map((entry) => {
    const targets = links.get(entry);
    const args = filled(entry.args ?? {}, (path, isKey) => {
      const link = targets?.get(path);
      if (link?.isKey !== isKey) return undefined;
      return isKey ? `$key:${setNameOf(link.target)}` : { $key: setNameOf(link.target) };
    });
    const fields = rename(createSchema(entry.definition), args as Record<string, unknown>, "wire"); // filled copies an object
    return { kind: entry.definition.kind, key: entry.name, fields };
  });

/** Finds the replacement for a name: for a map's key at a path, or for the value there. */
export type StandIn<T> = (path: string, isKey: boolean) => T | undefined;

/**
 * A copy of an entry's arguments in which names are replaced.
 *
 * @param fromEntries makes a map of its entries
 */
export function filled<T>(
  value: unknown,
  standIn: StandIn<T>,
  fromEntries: (entries: (readonly [key: unknown, value: unknown])[]) => unknown = (entries) =>
    Object.fromEntries(entries as [string, unknown][]),
  path: readonly PropertyKey[] = [],
): unknown {
  const found = standIn(formatPath(path), false);
  if (found !== undefined) return found;
  if (isLater(value)) return value();
  if (Array.isArray(value))
    return value.map((item, index) => filled(item, standIn, fromEntries, [...path, index]));
  if (typeof value !== "object" || value === null) return value;
  return fromEntries(
    Object.entries(value).map(([name, item]) => {
      const at = [...path, name];
      return [standIn(formatPath(at), true) ?? name, filled(item, standIn, fromEntries, at)] as const;
    }),
  );
}

import type { SetObject } from "../client/changeSets";
import { createSchema, formatPath, rename } from "../contract";
import type { Entry } from "./entries";
import { isLater } from "./file";
import type { Links } from "./references";

/** What an entry is called in a change set: `tls_edge/app`. */
export const setNameOf = ({ definition, name }: Entry): string => `${definition.kind}/${name}`;

/** The entries of a catalogue as the objects of a change set: names stand as keys. Values that are known later are asked for now. */
export const setObjectsOf = (entries: readonly Entry[], links: Links): SetObject[] =>
  entries.map((entry) => {
    const targets = links.get(entry);
    const args = filled(entry.args ?? {}, (place, isKey) => {
      const link = targets?.get(place);
      if (link?.isKey !== isKey) return undefined;
      return isKey ? `$key:${setNameOf(link.target)}` : { $key: setNameOf(link.target) };
    });
    const fields = rename(createSchema(entry.definition), args, "wire") as Record<string, unknown>;
    return { kind: entry.definition.kind, key: entry.name, fields };
  });

/** What stands for a name: for the key of a map at a place, or for the value there. */
export type StandIn<T> = (place: string, isKey: boolean) => T | undefined;

/** A copy of what is written, in which each place has what it stands for. @param fromEntries makes a map of its entries */
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
  if (Array.isArray(value)) return value.map((item, index) => filled(item, standIn, fromEntries, [...path, index]));
  if (typeof value !== "object" || value === null) return value;
  return fromEntries(
    Object.entries(value).map(([name, item]) => {
      const at = [...path, name];
      return [standIn(formatPath(at), true) ?? name, filled(item, standIn, fromEntries, at)] as const;
    }),
  );
}

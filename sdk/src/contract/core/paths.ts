import type { Definition } from "./definition";
import { own } from "./narrow";

const known = new Map<string, readonly string[]>();

/** The fields in the path of a type's collection: `edge_id` for `/edges/https/{edge_id}/routes`. */
export function pathFieldsOf({ path }: Pick<Definition, "path">): readonly string[] {
  let fields = known.get(path);
  if (!fields) {
    fields = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    known.set(path, fields);
  }
  return fields;
}

/** Fills the values of its fields into a path. */
export const expandPath = (path: string, values: Readonly<Record<string, unknown>>): string =>
  path.includes("{")
    ? path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(own(values, name))))
    : path;

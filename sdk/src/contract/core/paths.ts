import type { Definition } from "./definition";

/** The fields of an object that stand in the path of its collection: `edge_id` for `/edges/https/{edge_id}/routes`. */
export const pathFieldsOf = ({ path }: Pick<Definition, "path">): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);

/** A path with the values of its fields put in. */
export const expandPath = (path: string, values: Readonly<Record<string, unknown>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));

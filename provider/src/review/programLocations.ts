import { nameIn, typesIn } from "../core/urn";
import type { SourceLocation } from "./sourceLocations";

/** The locations of resources by `<type> <name>`. */
export type Locations = ReadonlyMap<string, SourceLocation>;

/** The location of a resource, or of the component that it is part of, whose name its own begins with. */
export function locationOfUrn(locations: Locations, urn: string): SourceLocation | undefined {
  const types = typesIn(urn)
    .split("$")
    .map((token) => token.split(":").at(-1) ?? "");
  const name = nameIn(urn);
  const own = locations.get(`${types.at(-1)} ${name}`);
  if (own || types.length < 2) return own;
  const [component] = [...locations.keys()]
    .filter((key) => key === `${types[0]} ${name}` || `${types[0]} ${name}`.startsWith(`${key}-`))
    .sort((a, b) => b.length - a.length);
  return component === undefined ? undefined : locations.get(component);
}

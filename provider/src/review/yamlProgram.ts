import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { isObject } from "@tunnelplane/sdk/contract";
import { isMap, isScalar, LineCounter, parseDocument } from "yaml";
import { nameIn, typesIn } from "../core/urn";
import type { FindLocation, SourceLocation } from "./sourceLocations";

/** The files in which the host of YAML programs looks for a program, in its order; JSON is YAML, too. */
const FILES = ["Main.json", "Main.yaml", "Pulumi.yaml"];

/**
 * The locations of the resources of a YAML program. The engine knows none: its host for YAML records the lines
 * of its own source.
 *
 * @param folder the project's folder; if it holds no such program, no location is found
 */
export function placesInYaml(folder: string): FindLocation {
  let locations: ReadonlyMap<string, SourceLocation> | undefined;
  return (urn) => {
    locations ??= read(folder);
    const types = typesIn(urn)
      .split("$")
      .map((token) => token.split(":").at(-1) ?? "");
    return locationOf(locations, types, nameIn(urn));
  };
}

/** The location of a resource, or of the component that it is part of, whose name its own begins with. */
function locationOf(
  locations: ReadonlyMap<string, SourceLocation>,
  types: readonly string[],
  name: string,
): SourceLocation | undefined {
  const own = locations.get(`${types.at(-1)} ${name}`);
  if (own || types.length < 2) return own;
  const [component] = [...locations.keys()]
    .filter((key) => key === `${types[0]} ${name}` || `${types[0]} ${name}`.startsWith(`${key}-`))
    .sort((a, b) => b.length - a.length);
  return component === undefined ? undefined : locations.get(component);
}

function read(folder: string): ReadonlyMap<string, SourceLocation> {
  const main = parsed(join(folder, "Pulumi.yaml"))?.content.main;
  const within = typeof main === "string" ? main : "";
  const locations = new Map<string, SourceLocation>();
  for (const name of FILES) {
    const found = parsed(join(folder, within, name));
    if (!found) continue;
    const { resources } = found.content;
    for (const [key, resource] of Object.entries(isObject(resources) ? resources : {})) {
      const { type, name: logicalName = key } = isObject(resource) ? resource : {};
      const location = { file: posix.join(within, name), line: lineOf(found, key) };
      if (typeof type === "string") locations.set(`${type.split(":").at(-1)} ${logicalName}`, location);
    }
    return locations;
  }
  return locations;
}

interface Parsed {
  readonly content: Readonly<Record<string, unknown>>;
  readonly document: ReturnType<typeof parseDocument>;
  readonly lines: LineCounter;
}

function parsed(file: string): Parsed | undefined {
  try {
    const lines = new LineCounter();
    const document = parseDocument(readFileSync(file, "utf8"), { lineCounter: lines, logLevel: "silent" });
    const content: unknown = document.toJS();
    return isObject(content) ? { content, document, lines } : undefined;
  } catch {
    return undefined; // a review works without locations
  }
}

/** The line of a resource's name. */
function lineOf({ document, lines }: Parsed, key: string): number | undefined {
  const resources = document.get("resources", true);
  for (const { key: name } of isMap(resources) ? resources.items : []) {
    if (isScalar(name) && String(name.value) === key && name.range) return lines.linePos(name.range[0]).line;
  }
  return undefined;
}

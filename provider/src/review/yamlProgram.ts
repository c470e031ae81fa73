import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { isObject } from "@tunnelplane/sdk/contract";
import { isMap, isScalar, LineCounter, parseDocument } from "yaml";
import { type Locations, locationOfUrn } from "./programLocations";
import type { FindLocation, SourceLocation } from "./sourceLocations";

/** The files in which the host of YAML programs looks for a program, in its order; JSON is YAML, too. */
const FILES = ["Main.json", "Main.yaml", "Pulumi.yaml"];

/**
 * The locations of the resources of a YAML program. The engine knows none: its host for YAML records the
 * lines of its own source.
 *
 * @param folder the project's folder; if it holds no such program, no location is found
 */
export function locationsInYaml(folder: string): FindLocation {
  let locations: Locations | undefined;
  return (urn) => {
    locations ??= read(folder);
    return locationOfUrn(locations, urn);
  };
}

/** The folder of the program inside of the project's, as Pulumi.yaml says. */
export function programFolderIn(folder: string): string {
  const main = parsed(join(folder, "Pulumi.yaml"))?.content.main;
  return typeof main === "string" ? main : "";
}

function read(folder: string): Locations {
  const within = programFolderIn(folder);
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

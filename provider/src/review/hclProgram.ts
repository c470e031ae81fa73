import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { pascalCase } from "@tunnelplane/sdk/contract";
import { blocksIn } from "./hclBlocks";
import { type Locations, locationOfUrn } from "./programLocations";
import type { FindLocation, SourceLocation } from "./sourceLocations";
import { programFolderIn } from "./yamlProgram";

const [MAX_FILES, MAX_BYTES, MAX_DEPTH] = [1000, 2 ** 20, 8];
const PROGRAM = /^[^.].*(?<!(?:^|_)override)\.tf$/;
/** What `count` and `for_each` put behind a name: `[0]` and `["key"]`. */
const INSTANCE = /\[(?:\d+|"(?:\\.|[^"\\])*")\]/g;

/**
 * The locations of the resources of a program in HCL. Its host, https://github.com/pulumi/pulumi-hcl (v0.16),
 * tells the engine no lines, and names resources `<module>.<name>["<key>"]`.
 *
 * @param folder the project's folder; if it holds no such program, no location is found
 */
export function locationsInHcl(folder: string): FindLocation {
  const locations = new Map<string, SourceLocation>();
  let isRead = false;
  return (urn) => {
    if (!isRead) read(folder, { within: programFolderIn(folder), of: "" }, locations);
    isRead = true;
    const declared = urn.replaceAll(INSTANCE, "");
    return locationOfUrn(locations, declared) ?? moduleOf(locations, declared);
  };
}

/** The location of the innermost module that has the resource. */
function moduleOf(locations: Locations, urn: string): SourceLocation | undefined {
  const steps = urn.split("::").slice(3).join("::").split(".");
  for (let count = steps.length - 1; count > 0; count--) {
    const found = locations.get(`module ${steps.slice(0, count).join(".")}`);
    if (found) return found;
  }
  return undefined;
}

interface Module {
  readonly within: string;
  /** What the names of its resources begin with. */
  readonly of: string;
  readonly depth?: number;
}

function read(
  folder: string,
  { within, of, depth = 0 }: Module,
  locations: Map<string, SourceLocation>,
): void {
  for (const name of programsIn(join(folder, within))) {
    const file = posix.join(within, name);
    for (const { kind, labels, line, attributes } of blocksIn(contentOf(join(folder, file)))) {
      if (kind === "resource") {
        const [type = "", own = ""] = labels;
        const key = `${pascalCase(type.slice(type.indexOf("_") + 1))} ${attributes.name ?? of + own}`;
        locations.set(key, { file, line });
      } else if (kind === "module" && depth < MAX_DEPTH) {
        const called = attributes.name ?? `${of}${labels[0] ?? ""}`;
        locations.set(`module ${called}`, { file, line });
        const { source } = attributes;
        if (source && /^\.\.?\//.test(source))
          read(folder, { within: posix.join(within, source), of: `${called}.`, depth: depth + 1 }, locations);
      }
    }
  }
}

function programsIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => PROGRAM.test(name))
      .sort()
      .slice(0, MAX_FILES);
  } catch {
    return []; // a review works without locations
  }
}

function contentOf(file: string): string {
  try {
    return statSync(file).size > MAX_BYTES ? "" : readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

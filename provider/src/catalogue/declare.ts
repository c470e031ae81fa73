import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import type { Entry } from "@tunnelplane/sdk/catalogue";
import { CatalogueFile, check, isLater, type Later, report, type Tags } from "@tunnelplane/sdk/catalogue";
import { collectionOf, formatPath, messageOf, registry } from "@tunnelplane/sdk/contract";
import * as resources from "../generated";
import type { CatalogueOptions } from "./options";

type Class = new (name: string, args: object, options?: pulumi.CustomResourceOptions) => pulumi.CustomResource;

/** Reads a catalogue and declares its entries. See `catalogue`. */
export function declare(file: string, options?: CatalogueOptions): resources.Catalogue {
  const document = new CatalogueFile(read(file), tagsFor(file));
  const { entries, links } = check(document, registry);
  // Pulumi shows a RunError without a stack trace; the trace would only show lines of this package.
  if (document.mistakes.length > 0) throw new pulumi.RunError(report(file, document.mistakes, document.lines));

  const declared = new Map<Entry, pulumi.CustomResource>();
  /** Declares an entry, after the entries that it refers to. */
  const resourceOf = (entry: Entry): pulumi.CustomResource => {
    const known = declared.get(entry);
    if (known) return known;
    const targets = links.get(entry);
    const args = filled(entry.args ?? {}, (place, isKey) => {
      const link = targets?.get(place);
      return link?.isKey === isKey ? resourceOf(link.target).id : undefined;
    });
    const classes: Readonly<Record<string, unknown>> = resources; // one for each type, by its name
    const resource = new (classes[entry.definition.type] as Class)(entry.name, args as object, options);
    declared.set(entry, resource);
    return resource;
  };
  const collections = registry.map((definition) => {
    const members = entries.filter((entry) => entry.definition === definition);
    return [collectionOf(definition), Object.fromEntries(members.map((entry) => [entry.name, resourceOf(entry)]))];
  });
  return Object.fromEntries(collections);
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new pulumi.RunError(`The catalogue ${file} cannot be read: ${messageOf(error)}`);
  }
}

/** The tags of a catalogue. Paths are relative to the catalogue's folder. */
function tagsFor(file: string): Tags {
  return {
    "!file": (path) => {
      try {
        return readFileSync(resolve(dirname(file), path), "utf8");
      } catch (error) {
        throw new Error(`cannot be read from its file: ${messageOf(error)}`);
      }
    },
    "!config": (key) => fromStack(key, "", (config, name) => config.get(name)),
    "!secret": (key): Later => {
      const secret = fromStack(key, "--secret ", (config, name) => config.getSecret(name));
      return () => secret;
    },
  };
}

function fromStack<T>(key: string, flag: string, get: (config: pulumi.Config, name: string) => T | undefined): T {
  const [name = "", namespace] = key.split(":").reverse();
  const value = get(new pulumi.Config(namespace), name);
  if (value === undefined) throw new Error(`is not in the stack's configuration: run "pulumi config set ${flag}${key} …"`);
  return value;
}

/** Finds the id that replaces a name: a map's key at a path, or the value there. */
type StandIn = (place: string, isKey: boolean) => pulumi.Output<string> | undefined;

/** A copy of an entry's arguments in which names are replaced by ids and tags by their values. */
function filled(value: unknown, standIn: StandIn, path: readonly PropertyKey[] = []): unknown {
  const found = standIn(formatPath(path), false);
  if (found !== undefined) return found;
  if (isLater(value)) return value();
  if (Array.isArray(value)) return value.map((item, index) => filled(item, standIn, [...path, index]));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, item]) => {
    const at = [...path, name];
    return [standIn(formatPath(at), true) ?? name, filled(item, standIn, at)] as const;
  });
  const known = entries.every(([key]) => typeof key === "string");
  return known ? Object.fromEntries(entries) : pulumi.output(entries).apply((all) => Object.fromEntries(all));
}

import { resolve } from "node:path";
import { runInThisContext } from "node:vm";
import * as pulumi from "@pulumi/pulumi";
import { type Entry, filled } from "@tunnelplane/sdk/catalogue";
import { collectionOf, registry } from "@tunnelplane/sdk/contract";
import * as resources from "../generated";
import { inProject } from "./inProject";
import { readForProgram } from "./read";

type Class = new (
  name: string,
  args: object,
  options?: pulumi.CustomResourceOptions,
) => pulumi.CustomResource;

/** Reads a catalogue and declares its entries. See `catalogue`. */
export function declare(file: string, given?: CatalogueOptions): resources.Catalogue {
  const { entries, links, project, document } = readForProgram(file);
  const options = inProject(file, project, given);
  const declared = new Map<Entry, pulumi.CustomResource>();
  const optionsFor = (entry: Entry) =>
    isGuarantee(entry) ? pulumi.mergeOptions(options, { dependsOn: guarded }) : options;
  /** Declares an entry, after the entries that it refers to. */
  const resourceOf = (entry: Entry): pulumi.CustomResource => {
    const known = declared.get(entry);
    if (known) return known;
    const targets = links.get(entry);
    const idAt = (path: string, isKey: boolean) => {
      const link = targets?.get(path);
      return link?.isKey === isKey ? resourceOf(link.target).id : undefined;
    };
    const args = filled(entry.args ?? {}, idAt, mapOf);
    const classes: Readonly<Record<string, unknown>> = resources; // one for each type, by its name
    const resource = calledFrom(
      file,
      document.lineOf([entry.collection, entry.name], "name"),
      () => new (classes[entry.definition.type] as Class)(entry.name, args as object, optionsFor(entry)),
    );
    declared.set(entry, resource);
    return resource;
  };
  // The objects that a guarantee covers are made before it, and deleted after it.
  const guarded = entries.filter((entry) => !isGuarantee(entry)).map(resourceOf);
  const collections = registry.map((definition) => {
    const members = entries.filter((entry) => entry.definition === definition);
    return [
      collectionOf(definition),
      Object.fromEntries(members.map((entry) => [entry.name, resourceOf(entry)])),
    ];
  });
  return Object.fromEntries(collections);
}

const isGuarantee = ({ definition }: Entry): boolean => definition.kind === "guarantee";

/**
 * Calls a function as if a line of a file did. The engine keeps the calls that led to a resource as its
 * location in the program; for a reader, the location of a resource is its entry.
 */
function calledFrom<T>(file: string, line: number, make: () => T): T {
  const call = runInThisContext("(function entry(make) { return make(); })", {
    filename: resolve(file),
    lineOffset: line - 1,
  });
  return (call as (make: () => T) => T)(make);
}

/** A map whose keys may be ids that are not known yet. */
function mapOf(entries: (readonly [key: unknown, value: unknown])[]): unknown {
  const known = entries.every(([key]) => typeof key === "string");
  return known
    ? Object.fromEntries(entries as [string, unknown][])
    : pulumi.output(entries).apply((all) => Object.fromEntries(all));
}

/** Options for all resources of a catalogue, for example an account as `provider`. */
export type CatalogueOptions = Omit<pulumi.CustomResourceOptions, "aliases" | "id" | "import" | "urn">;

import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import {
  CatalogueFile,
  check,
  commonTags,
  type Entry,
  type Later,
  report,
  type Tags,
} from "@tunnelplane/sdk/catalogue";
import { messageOf, registry } from "@tunnelplane/sdk/contract";
import { visible } from "@tunnelplane/sdk/node";

/** The entries of a catalogue, and the line of each entry's name. */
export type ReadCatalogue = ReturnType<typeof check> & { readonly lineOf: (entry: Entry) => number };

/** Reads a catalogue for a program. Throws all its mistakes at once, each with its line. */
export function readCatalogue(file: string): ReadCatalogue {
  const document = new CatalogueFile(read(file), tagsFor(file));
  const checked = check(document, registry);
  // Pulumi shows a RunError without a stack trace; the trace would only show lines of this package.
  if (document.mistakes.length > 0)
    throw new pulumi.RunError(visible(report(file, document.mistakes, document.lines)));
  return { ...checked, lineOf: ({ collection, name }) => document.lineOf([collection, name], "name") };
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new pulumi.RunError(`The catalogue ${file} cannot be read: ${messageOf(error)}`);
  }
}

/** The tags of a catalogue in a program. */
const tagsFor = (file: string): Tags => ({
  ...commonTags(file),
  "!config": (key) => fromStack(key, "", (config, name) => config.get(name)),
  "!secret": (key): Later => {
    const secret = fromStack(key, "--secret ", (config, name) => config.getSecret(name));
    return () => secret;
  },
});

function fromStack<T>(
  key: string,
  flag: string,
  get: (config: pulumi.Config, name: string) => T | undefined,
): T {
  const [name = "", namespace] = key.split(":").reverse();
  const value = get(new pulumi.Config(namespace), name);
  if (value === undefined)
    throw new Error(`is not in the stack's configuration: run "pulumi config set ${flag}${key} …"`);
  return value;
}

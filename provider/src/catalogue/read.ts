import * as pulumi from "@pulumi/pulumi";
import { type Later, readCatalogue, type Tags } from "@tunnelplane/sdk/catalogue";
import { messageOf } from "@tunnelplane/sdk/contract";
import { visible } from "@tunnelplane/sdk/node";

/** Reads a catalogue for a program. Throws all its mistakes at once, each with its line. */
export function readForProgram(file: string): ReturnType<typeof readCatalogue> {
  try {
    return readCatalogue(file, TAGS);
  } catch (error) {
    // Pulumi shows a RunError without a stack trace; the trace would only show lines of this package.
    throw new pulumi.RunError(visible(messageOf(error)));
  }
}

/** The tags that only a program has. */
const TAGS: Tags = {
  "!config": (key) => fromStack(key, "", (config, name) => config.get(name)),
  "!secret": (key): Later => {
    const secret = fromStack(key, "--secret ", (config, name) => config.getSecret(name));
    return () => secret;
  },
};

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

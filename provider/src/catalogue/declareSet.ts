import * as pulumi from "@pulumi/pulumi";
import { setObjectsOf } from "@tunnelplane/sdk/catalogue";
import { definitionOf, own, secretPathsOf } from "@tunnelplane/sdk/contract";
import { inProject } from "./inProject";
import { readForProgram } from "./read";

type Fields = Readonly<Record<string, unknown>>;

interface DeclaredSet {
  /** By kind and key, as a change set declares them. Secrets are marked, so that the state encrypts them. */
  readonly objects: Record<string, Fields>;
  readonly options: pulumi.CustomResourceOptions | undefined;
}

/** The objects of a catalogue, and the options for their resource. */
export function declareSet(file: string, options?: pulumi.CustomResourceOptions): DeclaredSet {
  const { entries, links, project } = readForProgram(file);
  const objects = setObjectsOf(entries, links).map(({ kind, key, fields = {} }): [string, Fields] => {
    const paths = secretPathsOf(definitionOf(kind)).map((path) => path.split("."));
    return [`${kind}/${key}`, paths.reduce<unknown>(withSecret, fields) as Fields];
  });
  return { objects: Object.fromEntries(objects), options: inProject(file, project, options) };
}

/** A copy of the value in which the value at a path is a secret. */
function withSecret(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return pulumi.secret(value);
  if (typeof value !== "object" || value === null || pulumi.Output.isInstance(value)) return value;
  const fields = value as Fields;
  return own(fields, name) === undefined ? value : { ...fields, [name]: withSecret(own(fields, name), rest) };
}

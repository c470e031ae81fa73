import { createHash } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { nameIn, typesIn } from "../core/urn";

/** The list of marks stops here and is then not used: it costs the square of the count. */
const MAX_DECLARED = 1000;

/** A short hash that identifies a resource, by the types and the name in its URN. */
const markOf = (types: string, name: string): string =>
  createHash("sha256").update(`${types} ${name}`).digest("base64url").slice(0, 8);

/** The marks of what each run declares; the Automation API may have several runs at once. */
const ofRuns = new WeakMap<object, string[]>();

/**
 * In a preview: notes a resource with unique values, so that the provider can tell which of those in the
 * state the program no longer declares.
 *
 * @returns what is declared by the time of the call; undefined if that is too much, or not noted
 */
export function noteDeclared(
  type: string,
  name: string,
  parent: pulumi.Resource | undefined,
): (() => string | undefined) | undefined {
  const run = pulumi.runtime.isDryRun() ? pulumi.runtime.getStackResource() : undefined;
  if (!run) return undefined;
  const marks = ofRuns.get(run) ?? [];
  ofRuns.set(run, marks);
  if (marks.length < MAX_DECLARED) marks.push(markOf([...typesOf(parent), type].join("$"), name));
  return () => (marks.length < MAX_DECLARED ? marks.join(" ") : undefined);
}

/** Whether a program declares a resource; undefined where it did not say what it declares. */
export const isDeclared = (declared: string | undefined, urn: string): boolean | undefined =>
  declared?.split(" ").includes(markOf(typesIn(urn), nameIn(urn)));

/** The types of a resource's parents and its own, as its URN has them. */
export function typesOf(resource: pulumi.Resource | undefined): string[] {
  const { __pulumiType: type, __parentResource: parent } = (resource ?? {}) as {
    readonly __pulumiType?: string;
    readonly __parentResource?: pulumi.Resource;
  };
  return type === undefined || type === "pulumi:pulumi:Stack" ? [] : [...typesOf(parent), type];
}

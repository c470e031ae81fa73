import {
  BadRequestError,
  Collection,
  ConflictError,
  PermissionError,
  type Transport,
} from "@tunnelplane/sdk";
import { definitionNamed } from "@tunnelplane/sdk/contract";
import { freshClaims } from "@tunnelplane/sdk/meaning";
import type { Wire } from "../core/target";
import type { PreviewedChange } from "./worlds";

/** How many values a server is asked about: one dry run for each. */
const MAX_ASKED = 100;

/**
 * Adds the values of a change that a server would refuse because an object has them which it does not show:
 * one of another project, for example. Dry runs say so, and nothing else about it.
 */
export async function withTaken(change: PreviewedChange, transport: Transport): Promise<PreviewedChange> {
  const claims = freshClaims(change.before, change.after);
  const asked = claims.slice(0, MAX_ASKED);
  const taken: string[] = [];
  for (const { kind, texts, body } of asked) if (await isTaken(transport, kind, body)) taken.push(...texts);
  const left = claims.length - asked.length;
  const limits =
    left > 0
      ? [`Whether objects of other projects have ${left} of the new hostports and names was not asked.`]
      : [];
  return { ...change, after: { ...change.after, taken }, limits: [...change.limits, ...limits] };
}

async function isTaken(transport: Transport, kind: string, body: Wire): Promise<boolean> {
  const { path, listKey } = definitionNamed(kind);
  try {
    await new Collection<Wire, Wire, never>(transport, path, listKey).create(body, { dryRun: true });
    return false;
  } catch (error) {
    if (error instanceof ConflictError) return true;
    // The run is refused for another reason, or the body lacks fields that the value does not need.
    if (error instanceof PermissionError || error instanceof BadRequestError) return false;
    throw error;
  }
}

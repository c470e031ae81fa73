import type { Everything } from "../core/everything";
import type { Preview } from "./preview";
import { hidesSecrets, withObjectsOfSets } from "./sets";
import { type OurStep, ourSteps, type Worlds, worldsOf } from "./worlds";

/** The change that a preview shows: its steps, and the worlds before and after it. */
export interface PreviewedChange extends Worlds {
  readonly steps: readonly OurStep[];
  /** Whether secrets may have other values that nobody can see. */
  readonly hidden: boolean;
}

/** @param server the objects of a server, to include those outside of the stack */
export function changeIn(preview: Preview, server?: Everything): PreviewedChange {
  const read = withObjectsOfSets(preview);
  const steps = ourSteps(read);
  return { steps, hidden: hidesSecrets(preview), ...worldsOf(read, steps, server) };
}

import type { Everything } from "../core/everything";
import { readPreview } from "./preview";
import { withObjectsOfSets } from "./sets";
import { type OurStep, ourSteps, type Worlds, worldsOf } from "./worlds";

/** What a preview would change: its steps, and the worlds before and after it. */
export interface PreviewedChange extends Worlds {
  readonly steps: readonly OurStep[];
}

/** @throws Error with one line if the input is something else, or a preview that failed */
export function readChange(
  preview: string | object,
  { server, source }: { readonly server?: Everything; readonly source?: string },
): PreviewedChange {
  const read = withObjectsOfSets(readPreview(preview, source));
  const steps = ourSteps(read);
  return { steps, ...worldsOf(read, steps, server) };
}

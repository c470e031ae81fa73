import type { Everything } from "../core/everything";
import { readPreview } from "./preview";
import { hidesSecrets, withObjectsOfSets } from "./sets";
import { type OurStep, ourSteps, type Worlds, worldsOf } from "./worlds";

/** The change that a preview shows: its steps, and the worlds before and after it. */
export interface PreviewedChange extends Worlds {
  readonly steps: readonly OurStep[];
  /** Whether secrets may have other values that nobody can see. */
  readonly hidden: boolean;
}

/** @throws Error if the input is something else, or a preview that failed, with its errors */
export function readChange(
  preview: string | object,
  { server, source }: { readonly server?: Everything; readonly source?: string },
): PreviewedChange {
  const whole = readPreview(preview, source);
  const read = withObjectsOfSets(whole);
  const steps = ourSteps(read);
  return { steps, hidden: hidesSecrets(whole), ...worldsOf(read, steps, server) };
}

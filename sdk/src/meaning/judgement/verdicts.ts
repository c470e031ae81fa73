import type { ModelObject } from "../model";
import { nameOf } from "../names";
import type { Verdict } from "./check";
import type { Decision, DecisionStep } from "./types";

/** A step at an object. */
export const stepAt = (holder: ModelObject, field: string, sentence: string): DecisionStep => ({
  kind: holder.kind,
  id: holder.object.id ?? null,
  name: nameOf(holder),
  field,
  sentence,
});

export const passing = (holder: ModelObject, field: string, sentence: string): Verdict => ({
  step: stepAt(holder, field, sentence),
});

/** @param outcome with its status, if it has one */
export const ending = (
  holder: ModelObject,
  field: string,
  sentence: string,
  outcome: Pick<Decision, "outcome" | "status">,
): Verdict => ({ step: stepAt(holder, field, sentence), end: outcome });

/** The result of a check that depends on something unknown. */
export const unsure = (holder: ModelObject, field: string, sentence: string): Verdict =>
  ending(holder, field, sentence, { outcome: "unknown", status: null });

export const CLOSED = { outcome: "closed", status: null } as const;
export const refused = (status: number) => ({ outcome: "refused", status }) as const;

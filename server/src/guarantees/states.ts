import type { GuaranteeState } from "@tunnelplane/sdk/meaning";
import type { Caller } from "../auth";
import type { Answer, Document } from "../documents";
import type { ServerContext } from "../resources";
import { MOST_OBJECTS } from "./limits";
import { worldOf } from "./stored";

/** Whether guarantees hold for what is stored, in their order. */
async function statesOf(
  { store, documents, guard }: Pick<ServerContext, "store" | "documents" | "guard">,
  caller: Caller,
  guarantees: readonly Document[],
): Promise<GuaranteeState[]> {
  const world = await worldOf(store.reader, documents, guarantees);
  const states = await guard.states(caller.ownerId, { world, guarantees });
  return states.map(({ isUndecided: _, ...state }) => {
    const reason = reasonFor(state, world.partial === true);
    return { ...state, ...(reason !== undefined && { reason }) };
  });
}

function reasonFor({ state, covered, reason }: GuaranteeState, isPartial: boolean): string | undefined {
  if (isPartial && state === "unproved")
    return `More than ${MOST_OBJECTS.toLocaleString("en-US")} objects decide at its addresses.`;
  return covered === 0 ? (reason ?? "It covers no address that is declared now.") : reason;
}

/** An answer about one guarantee, with its state. */
export async function withState<A extends Answer>(
  context: Pick<ServerContext, "store" | "documents" | "guard">,
  caller: Caller,
  answer: A,
): Promise<A> {
  const guarantee: Document = JSON.parse(answer.json);
  const [state] = await statesOf(context, caller, [guarantee]);
  return { ...answer, json: JSON.stringify({ ...guarantee, ...state }) };
}

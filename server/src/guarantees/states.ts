import type { GuaranteeState } from "@tunnelplane/sdk/meaning";
import { type Caller, holderOf } from "../auth";
import { type Answer, DOCUMENT_SEPARATOR, type Document, type Page } from "../documents";
import type { ServerContext } from "../resources";
import { View } from "../view";
import { MOST_OBJECTS } from "./limits";
import { worldOf } from "./stored";

type Context = Pick<ServerContext, "store" | "documents" | "guard">;

/** Whether guarantees hold for what is stored, in their order. */
async function statesOf(
  context: Context,
  caller: Caller,
  guarantees: readonly Document[],
): Promise<GuaranteeState[]> {
  if (guarantees.length === 0) return [];
  const { store, documents, guard } = context;
  const view = View.of({ db: store.reader, documents }, caller);
  const world = await worldOf(store.reader, view, guarantees);
  if (world.partial && guarantees.length > 1) {
    // Too many objects for all of them are not always too many for each.
    const half = guarantees.length >> 1;
    const [some, others] = [guarantees.slice(0, half), guarantees.slice(half)];
    return [...(await statesOf(context, caller, some)), ...(await statesOf(context, caller, others))];
  }
  const states = await guard.states(holderOf(caller), { world, guarantees });
  return states.map((state) => {
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
export async function withState<A extends Answer>(context: Context, caller: Caller, answer: A): Promise<A> {
  const guarantee: Document = JSON.parse(answer.json);
  const [state] = await statesOf(context, caller, [guarantee]);
  return { ...answer, json: JSON.stringify({ ...guarantee, ...state }) };
}

/** A page of guarantees, each with its state. */
export async function withStates(context: Context, caller: Caller, page: Page): Promise<Page> {
  const guarantees: Document[] = JSON.parse(`[${page.documents.join(DOCUMENT_SEPARATOR)}]`);
  const states = await statesOf(context, caller, guarantees);
  return {
    ...page,
    documents: guarantees.map((guarantee, index) => JSON.stringify({ ...guarantee, ...states[index] })),
  };
}

import { may } from "@tunnelplane/sdk/contract";
import type { GuaranteeState } from "@tunnelplane/sdk/meaning";
import { type Caller, holderOf } from "../../auth";
import { type Answer, DOCUMENT_SEPARATOR, type Document, type Page, textIn } from "../../documents";
import type { ServerContext } from "../../resources";
import { View } from "../../view";
import { withAnswers, withReason, worldOf } from "./stored";

interface Asked {
  readonly caller: Caller;
  /** Aborts when the caller has hung up. */
  readonly gone: AbortSignal;
}

type Context = Pick<ServerContext, "store" | "documents" | "guard">;

/** An answer about a guarantee, with its kept state. */
export async function withState<A extends Answer>(
  { guard }: Context,
  { caller, gone }: Asked,
  answer: A,
): Promise<A> {
  const guarantee: Document = JSON.parse(answer.json);
  const id = textIn(guarantee, "id");
  const state = shownTo(caller, (await guard.states([id], gone)).get(id));
  return { ...answer, json: JSON.stringify({ ...guarantee, ...state }) };
}

const WITHOUT_EXAMPLE = "This API key lacks the scope `read`, which examples need.";

/** An example names what decides, of any kind: it is for those who may see who can reach what. */
function shownTo(caller: Caller, state: GuaranteeState | undefined): GuaranteeState | undefined {
  if (!state?.example || may(caller, "read", "exposure")) return state;
  const { example: _, ...shown } = state;
  return { ...shown, reason: WITHOUT_EXAMPLE };
}

/** The answer to a dry run about a guarantee, with the state that it would have: nothing keeps that. */
export async function withStateToCome<A extends Answer>(
  { store, documents, guard }: Context,
  { caller, gone }: Asked,
  answer: A,
): Promise<A> {
  const guarantee: Document = JSON.parse(answer.json);
  const view = View.ofProject({ db: store.reader, documents }, holderOf(caller).project);
  const world = await worldOf(store.reader, view, [guarantee]);
  const judge = (toJudge: Parameters<typeof guard.judge>[1]) => guard.judge(holderOf(caller), toJudge, gone);
  const toJudge = { world, guarantees: [guarantee] };
  const [state] = await withAnswers(await judge(toJudge), toJudge, view, judge);
  return {
    ...answer,
    json: JSON.stringify({ ...guarantee, ...shownTo(caller, state && withReason(state, world)) }),
  };
}

/** A page of guarantees, each with its kept state. */
export async function withStates({ guard }: Context, { caller, gone }: Asked, page: Page): Promise<Page> {
  const guarantees: Document[] = JSON.parse(`[${page.documents.join(DOCUMENT_SEPARATOR)}]`);
  const states = await guard.states(
    guarantees.map((guarantee) => textIn(guarantee, "id")),
    gone,
  );
  return {
    ...page,
    documents: guarantees.map((guarantee) =>
      JSON.stringify({ ...guarantee, ...shownTo(caller, states.get(textIn(guarantee, "id"))) }),
    ),
  };
}

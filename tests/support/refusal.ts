import { type Refusal as ApiRefusal, expectRefused } from "./api/expect";
import type { RestAnswer } from "./rest";

/** What became of a request: an answer, a status, or a word such as `closed` where there was no answer. */
type Outcome = number | string | { readonly status: number };

/** How a refusal looks: a status, a word, what it matches, what an answer has, or a check. */
type Refusal<R> =
  | number
  | string
  | RegExp
  | (R extends RestAnswer ? ApiRefusal : never)
  | ((answer: R) => void);

interface Both<R extends Outcome, A extends Outcome> {
  /** What must be refused; several requests where one refusal has several forms. */
  readonly refused: (() => Promise<R>) | readonly (() => Promise<R>)[];
  readonly as: Refusal<R>;
  /** The same request where it should be let in: another caller, another name, the value put right. */
  readonly allowed: () => Promise<A>;
  /** How it is let in. Default: any status below 400. */
  readonly allowedAs?: number | string;
  /** Whether what is refused is tried first, because what is allowed changes it. Default: false. */
  readonly refusedFirst?: boolean;
}

/**
 * Shows that something is refused, and that the same is allowed where it should be: a request that is refused
 * for another reason (a typing error, a missing header) would otherwise pass for a promise that is kept.
 *
 * A request whose promise is rejected counts as refused with the error's message.
 */
export async function refusedBeside<R extends Outcome, A extends Outcome>({
  refused,
  as,
  allowed,
  allowedAs,
  refusedFirst = false,
}: Both<R, A>): Promise<{ refused: R[]; allowed: A }> {
  const admitted = async (): Promise<A> => {
    const letIn = await allowed();
    if (allowedAs !== undefined) expect(shown(letIn), "what is allowed").to.equal(allowedAs);
    else expect(shown(letIn), "what is allowed").to.be.a("number").below(400);
    return letIn;
  };
  const before = refusedFirst ? undefined : await admitted();
  const answers: R[] = [];
  const requests = Array.isArray(refused) ? refused : [refused];
  expect(requests, "requests that must be refused").not.to.be.empty;
  for (const [index, request] of requests.entries()) {
    const what = `what is refused (request ${index})`;
    const outcome = await request().catch((error: Error) => error);
    const found = outcome instanceof Error ? outcome.message : shown(outcome);
    if (typeof as === "function") {
      if (outcome instanceof Error) throw outcome;
      as(outcome);
    } else if (typeof as === "object" && "code" in as) {
      if (outcome instanceof Error) throw outcome;
      expectRefused(outcome as unknown as RestAnswer, as);
    } else if (as instanceof RegExp) expect(String(found), what).to.match(as);
    else expect(found, what).to.equal(as);
    if (!(outcome instanceof Error)) answers.push(outcome);
  }
  return { refused: answers, allowed: before ?? (await admitted()) };
}

const shown = (outcome: Outcome): number | string => (typeof outcome === "object" ? outcome.status : outcome);

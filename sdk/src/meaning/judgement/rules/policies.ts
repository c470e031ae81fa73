import type { ActionName } from "../../../contract/registry";
import { all, asks, type Condition, knowing, testsIn } from "./condition";
import { readExpression } from "./expression";
import { Unservable } from "./unservable";

export interface Policy {
  readonly name: string;
  readonly expressions: readonly string[];
  readonly actions: readonly Action[];
}
export interface Action {
  readonly type: string;
  readonly config: Readonly<Record<string, unknown>>;
}
export interface Policies {
  readonly inbound: readonly Policy[];
  readonly outbound: readonly Policy[];
}

/** The actions of policies on a request, once their conditions are settled. */
export interface Effects {
  readonly limits: readonly Limit[];
  /** The entries for the log. */
  readonly logs: readonly unknown[];
  readonly rewrite?: Action;
  /** The action that answers, in place of the backend. */
  readonly answer?: Action;
}
export interface Limit {
  /** The same for one declared action, whichever conditions led to it. */
  readonly id: string;
  readonly config: Action["config"];
}
/** The effects of policies on requests, as a tree of questions. */
export type Settled =
  | { readonly outcome: Effects }
  | { readonly when: Condition; readonly yes: Settled; readonly no: Settled };

/** Conditional actions that go on afterwards double the outcomes of a route. */
const MAX_OUTCOMES = 64;
export const NOTHING: Effects = { limits: [], logs: [] };

/**
 * Computes the effects on requests of a route, as a tree of decisions.
 *
 * @param owner of the actions, in one word
 * @param host of the request, if it is known
 * @throws Unservable if Envoy could not do it
 */
export function settle({ inbound, outbound }: Policies, owner: string, host?: string): Settled {
  const steps = [...inbound, ...outbound.map(onlyLogs)].map((policy, index) => ({
    when: host === undefined ? conditionsOf(policy) : knowing(conditionsOf(policy), "host", host),
    actions: policy.actions,
    id: `${owner}.${index}`,
  }));
  const settled = follow(steps, NOTHING, { left: MAX_OUTCOMES });
  for (const condition of conditionsIn(settled)) refuseHostPatterns(condition);
  return settled;
}

/** A Host header may carry a port, which a pattern could not look past. */
function refuseHostPatterns(condition: Condition): void {
  if (testsIn(condition).some(({ input, test }) => input === "host" && "regex" in test))
    throw new Unservable(
      "an expression matches req.host with a regular expression on a wildcard hostport; use endsWith, startsWith or contains there",
    );
}

export const conditionsOf = ({ expressions }: Pick<Policy, "expressions">): Condition =>
  all(expressions.map(readExpression));

/** Envoy chooses a route when a request comes in, so outbound actions can only log. */
export function onlyLogs(policy: Policy): Policy {
  const refused = policy.actions.find(({ type }) => type !== "log");
  if (refused)
    throw new Unservable(
      `the outbound policy ${JSON.stringify(policy.name)} has the action ${refused.type}; of what goes out, gateways can only log`,
    );
  return policy;
}

/** Whether they ask for the path, or rewrite it. */
export const asksPath = (settled: Settled): boolean =>
  conditionsIn(settled).some((condition) => asks(condition, "path")) ||
  outcomesOf(settled).some(({ rewrite }) => rewrite !== undefined);

/** All ends of a tree. */
export const outcomesOf = (settled: Settled): Effects[] =>
  "outcome" in settled ? [settled.outcome] : [...outcomesOf(settled.yes), ...outcomesOf(settled.no)];

/** All conditions of a tree. */
export const conditionsIn = (settled: Settled): Condition[] =>
  "when" in settled ? [settled.when, ...conditionsIn(settled.yes), ...conditionsIn(settled.no)] : [];

interface Step {
  readonly when: Condition;
  readonly actions: readonly Action[];
  readonly id: string;
}

function follow(steps: readonly Step[], so: Effects, outcomes: { left: number }): Settled {
  const [step, ...rest] = steps;
  if (!step) {
    if (outcomes.left-- === 0)
      throw new Unservable(
        `its policies have more than ${MAX_OUTCOMES} outcomes: use fewer conditional actions that do not end a request`,
      );
    return { outcome: so };
  }
  if (step.when === false) return follow(rest, so, outcomes);
  const after = step.actions.reduce(
    (effects, action, index) => apply(effects, action, `${step.id}.${index}`),
    so,
  );
  const yes: Settled = after.answer ? { outcome: after } : follow(rest, after, outcomes);
  return step.when === true ? yes : { when: step.when, yes, no: follow(rest, so, outcomes) };
}

const answering = (so: Effects, action: Action): Effects =>
  // Responses of Envoy itself are not counted: the limits protect the backend.
  ({ ...so, limits: [], answer: action });

/**
 * The effect of each action on a request. If an action of the contract has no entry, this does not compile.
 */
export const EFFECTS = {
  deny: answering,
  "custom-response": answering,
  log: (so, { config }) => ({ ...so, logs: [...so.logs, config.metadata ?? {}] }),
  "rate-limit": (so, { config }, id) => ({ ...so, limits: [...so.limits, { id, config }] }),
  "url-rewrite": (so, action) => {
    if (so.rewrite)
      throw new Unservable(
        "a request would be rewritten twice; Envoy rewrites once: put both into one url-rewrite",
      );
    return { ...so, rewrite: action };
  },
} satisfies Readonly<Record<ActionName, Effect>>;

export type Effect = (so: Effects, action: Action, id: string) => Effects;

const effects = new Map<string, Effect>(Object.entries(EFFECTS));

export const hasEffect = (type: string): boolean => effects.has(type);

/** Why an edge with an action of a newer server is not served. */
export const unknownAction = (type: string): Unservable =>
  new Unservable(
    `the action ${JSON.stringify(type)} is not known to this gateway: upgrade this gateway, or remove the action`,
  );

const apply: Effect = (so, action, id) => {
  if (so.answer) return so;
  const effect = effects.get(action.type);
  if (!effect) throw unknownAction(action.type);
  return effect(so, action, id);
};

import { z } from "zod";
import { own } from "../../contract/core/narrow";
import { isTrueOf, predicatesIn, uncutIn, unrecordedIn } from "../judgement/asking";
import type { Check, Location, Verdict } from "../judgement/check";
import { moduleOf, type Reading, readModule } from "../judgement/reading";
import { refuseAnswer } from "../judgement/rules/answers";
import type { Condition } from "../judgement/rules/condition";
import { connectionSteps } from "../judgement/rules/connections";
import { bucketKeysOf, bucketOf } from "../judgement/rules/limits";
import { isWildcard } from "../judgement/rules/names";
import {
  asksPath,
  conditionsIn,
  type Effects,
  outcomesOf,
  type Policies,
  type Policy,
  settle,
} from "../judgement/rules/policies";
import { rewriteOf } from "../judgement/rules/rewrite";
import { CLOSED, ending, passing, unsure } from "../judgement/verdicts";
import type { ModelObject } from "../model";
import { canonical, type Fields, holdsUnknown, isObject, textIn, textsIn } from "../values";
import type { Aspect } from "./aspect";
import { destinationAt } from "./backend";
import { documented, listedText, showing, text, texts } from "./shown";

/** An action of a policy for inbound or outbound traffic. */
export interface Action {
  readonly direction: "inbound" | "outbound";
  readonly type: string;
  /** The conditions. All have to hold; empty means always. */
  readonly when: readonly string[];
  /** Its settings, without the content of responses. */
  readonly settings: string;
  /** Equal for actions that do the same. */
  readonly content: string;
}

/** `rate-limit (capacity 10, rate 60s) inbound if req.method == "GET"` */
export const actionText = ({ type, direction, when, settings }: Omit<Action, "content">): string =>
  `${type}${settings && ` (${settings})`} ${direction}${when.length > 0 ? ` if ${when.join(" and ")}` : ""}`;

export function readActions(holder: ModelObject): Reading<readonly Action[]> {
  const module = moduleOf(holder, "policies");
  const read = readModule<readonly Action[]>(
    module,
    [],
    (fields) => [...actionsIn(fields, "inbound"), ...actionsIn(fields, "outbound")],
    (fields) =>
      [...actionsIn(fields, "inbound"), ...actionsIn(fields, "outbound")].map(({ content }) => content),
  );
  return {
    ...read,
    unknown:
      read.unknown ||
      (read.value.length > 0 && holdsUnknown([module.fields.inbound, module.fields.outbound])) ||
      holdsUnknown(module.fields),
  };
}

/** In their order: the first that answers decides. */
function actionsIn(fields: Fields, direction: Action["direction"]): Action[] {
  const listed = fields[direction];
  const policies = Array.isArray(listed) ? listed.filter(isObject) : [];
  return policies.flatMap(({ expressions, actions }) => {
    const when = textsIn(expressions);
    return (Array.isArray(actions) ? actions : []).filter(isObject).map(({ type, config }): Action => {
      const content = canonical([direction, type, when, isObject(config) ? config : {}]);
      return {
        direction,
        type: textIn(type) ?? "",
        when,
        settings: settingsOf(isObject(config) ? config : {}),
        content,
      };
    });
  });
}

export interface ExposedAction extends Pick<Action, "direction" | "type"> {
  /** Whether it runs only if the expressions of its policy hold. */
  readonly conditional: boolean;
  readonly expressions: readonly string[];
  /** The settings in words, without the content of responses. */
  readonly settings: string;
}

const exposedAction = ({ direction, type, when, settings }: Action): ExposedAction => ({
  direction,
  type,
  conditional: when.length > 0,
  expressions: when,
  settings,
});

const SHOWN_SETTINGS = ["status_code", "name", "capacity", "rate", "from", "to"];

const settingsOf = (config: Readonly<Record<string, unknown>>): string =>
  SHOWN_SETTINGS.filter(
    (name) => typeof own(config, name) === "string" || typeof own(config, name) === "number",
  )
    .map((name) => `${name} ${String(own(config, name)).slice(0, 100)}`)
    .join(", ");

/** The effects of policies on inbound traffic. */
export const actions = {
  of: { tls_edge: true, tcp_edge: true, https_edge_route: true },
  prepare(location) {
    const { holder } = location;
    const module = moduleOf(holder, "policies");
    if (module.state === "absent" || module.state === "off") return undefined;
    const { inbound, outbound } = module.fields;
    if (module.state === "maybe" || holdsUnknown([inbound, outbound]))
      return { look: () => ({}), predicates: [], unknown: "The actions of policies are not wholly known." };
    const policies = { inbound: policiesIn(inbound), outbound: policiesIn(outbound) };
    return location.http ? ofRequests(policies, location) : ofConnections(policies, location);
  },
  shows: showing({
    field: "actions",
    title: "Actions",
    schema: () =>
      documented(
        z.array(
          z.object({
            direction: documented(
              z.enum(["inbound", "outbound"]),
              "Whether it acts on requests or on responses.",
            ),
            type: text("The type of the action."),
            conditional: documented(z.boolean(), "Whether expressions have to hold for it."),
            expressions: texts("The expressions; all of them have to hold."),
            settings: text("The settings of the action, in words."),
          }),
        ),
        "The effects of policies; conditional if expressions have to hold.",
      ),
    read: ({ holder }) => readActions(holder),
    absent: [],
    readsTraffic: true,
    exposed: (value: readonly Action[]) => value.map(exposedAction),
    words: (all) =>
      listedText(all.map(({ expressions: when, ...action }) => actionText({ ...action, when }))) || null,
    check(all) {
      const denies = all.filter(({ type }) => type === "deny").length;
      if (denies > 0) return denies === 1 ? "a deny action" : `${denies} deny actions`;
    },
  }),
} satisfies Aspect<"policies">;

const policiesIn = (list: unknown): Policy[] =>
  (Array.isArray(list) ? list : []).filter(isObject).map(({ name, expressions, actions: of }) => ({
    name: textIn(name) ?? "",
    expressions: (Array.isArray(expressions) ? expressions : []).map(String),
    actions: (Array.isArray(of) ? of : []).filter(isObject).map(({ type, config }) => ({
      type: String(type),
      config: isObject(config) ? config : {},
    })),
  }));

const FIELD = "policies";

function ofRequests(policies: Policies, location: Location): Check {
  const { holder, hostport } = location;
  const host = isWildcard(hostport.host) ? undefined : hostport.host;
  const settled = settle(policies, holder.object.id ?? holder.identity, host);
  const outcomes = outcomesOf(settled);
  for (const outcome of outcomes) refuseImpossible(outcome, location);
  const conditions = conditionsIn(settled);
  const verdicts = new Map(outcomes.map((outcome) => [outcome, verdictOf(outcome, holder)]));
  const passed: Verdict = passing(holder, FIELD, "No policy answers the request.");
  return {
    look(request) {
      let at = settled;
      while ("when" in at) {
        const holds = isTrueOf(at.when, request);
        if (holds === undefined)
          return unsure(holder, FIELD, `A policy asks for ${unrecordedIn(at.when, request)}, not recorded.`);
        at = holds ? at.yes : at.no;
      }
      return verdicts.get(at.outcome) ?? passed;
    },
    predicates: conditions.flatMap(predicatesIn),
    conditions,
    ...uncutBy(conditions),
    asksPath: asksPath(settled),
  };
}

function uncutBy(conditions: readonly Condition[]): Pick<Check, "uncut"> {
  const uncut = conditions.map(uncutIn).find((reason) => reason !== undefined);
  return uncut === undefined ? {} : { uncut };
}

/** Refuses combinations that Envoy cannot carry out, though each action by itself is fine. */
function refuseImpossible({ limits, rewrite, answer }: Effects, location: Location): void {
  for (const { config } of limits) {
    bucketOf(config);
    bucketKeysOf(config);
  }
  if (answer) refuseAnswer(statusOf(answer), answer.config.headers);
  else if (rewrite && isSentOn(location)) rewriteOf(rewrite);
}

/** Whether requests reach a backend: only these can be rewritten. */
function isSentOn(location: Location): boolean {
  const { kind } = destinationAt(location);
  return kind === "clusters" || kind === "order";
}

const statusOf = ({ config }: NonNullable<Effects["answer"]>): number => Number(config.status_code ?? 403);

function verdictOf({ answer, limits }: Effects, holder: ModelObject): Verdict {
  if (!answer) {
    const limited = limits.length > 0;
    const sentence = limited
      ? "No policy answers the request; a rate limit may refuse it."
      : "No policy answers the request.";
    return { ...passing(holder, FIELD, sentence), ...(limited && { limited }) };
  }
  const status = statusOf(answer);
  return ending(holder, FIELD, `A policy answers the request: ${answer.type}.`, {
    outcome: status < 400 ? "answered" : "refused",
    status,
  });
}

function ofConnections(policies: Policies, { holder, hostport }: Location): Check {
  const steps = connectionSteps(
    policies,
    holder.kind === "tcp_edge" ? "tcp_edge" : "tls_edge",
    hostport.host,
  );
  const denials = steps.flatMap(({ type, when }) => (type === "deny" ? [when] : []));
  const limits = steps.filter(({ type }) => type === "rate-limit").map(({ config }) => ({ id: "", config }));
  const denied = ending(holder, FIELD, "A policy denies the connection.", CLOSED);
  const passed = verdictOf({ limits, logs: [] }, holder);
  return {
    look(request) {
      for (const when of denials) {
        const holds = isTrueOf(when, request);
        if (holds === undefined)
          return unsure(holder, FIELD, `A policy asks for ${unrecordedIn(when, request)}, not recorded.`);
        if (holds) return denied;
      }
      return passed;
    },
    predicates: denials.flatMap(predicatesIn),
    conditions: denials,
    ...uncutBy(denials),
  };
}

import { type Action, actionText } from "../aspects/actions";
import type { Row } from "../exposure/rows";
import { flowText, isGoing, keyOf } from "../judgement/backends/flows";
import { reachOf } from "../judgement/backends/reach";
import { code } from "../names";
import { canonical, shortHash } from "../values";
import { type FieldRules, listed, onAddress, type Rows, type RuledDraft } from "./finding";
import type { RuleName } from "./rules";
import { NO_ANSWER, nothingAnswers } from "./sentences";

const traffic = (row: Row) => row.traffic;
const tls = (row: Row) => row.tls;
const actions = (row: Row) => row.actions;
const userAgents = (row: Row) => row.userAgents;
const webhook = (row: Row) => row.webhook;

const flowOf = (row: Row) => row.traffic.value.flow;

/** The backends that got requests and never will, because what comes before them now always answers. */
function silencedIn({ before, after }: Rows): string[] {
  const [was, is] = [reachOf(traffic(before).value.target), reachOf(traffic(after).value.target)];
  return [...is.idle].flatMap(([key, name]) => (was.reached.has(key) ? [name] : []));
}

/** What differs between actions, in words; undefined where they read alike. */
function turnText(before: readonly Action[], after: readonly Action[]): string | undefined {
  const beyond = (list: readonly Action[], reference: readonly Action[]) => {
    const theirs = reference.map(({ content }) => content);
    return list
      .filter(({ content }) => {
        const at = theirs.indexOf(content);
        if (at >= 0) theirs.splice(at, 1);
        return at < 0;
      })
      .map((action) => code(actionText(action)));
  };
  const [gone, come] = [beyond(before, after), beyond(after, before)];
  if (gone.length + come.length === 0) {
    const inTurn = (actions: readonly Action[]) =>
      listedInTurn(actions.map((action) => code(actionText(action))));
    const [was, is] = [inTurn(before), inTurn(after)];
    return was === is ? undefined : `in another order: ${is} (before: ${was})`;
  }
  if (canonical(gone) === canonical(come)) return undefined;
  const types = [before, after].map((actions) => actions.map(({ type }) => type));
  const [was, is] = types.map((list) => canonical(list));
  const isMoved = was !== is && canonical(types[0]?.toSorted()) === canonical(types[1]?.toSorted());
  return [
    ...(come.length > 0 ? [listed(come)] : []),
    ...(gone.length > 0 ? [`no longer ${listed(gone)}`] : []),
    ...(isMoved ? ["in another order"] : []),
  ].join("; ");
}

const MAX_IN_TURN = 5;
const listedInTurn = (texts: readonly string[]): string =>
  [...texts.slice(0, MAX_IN_TURN), ...(texts.length > MAX_IN_TURN ? ["…"] : [])].join(", then ");

/** A sentence about changed actions; it names fields where the actions read alike. */
export function doesElse(
  address: string,
  before: readonly Action[],
  after: readonly Action[],
): { readonly sentence: string; readonly namesFields: boolean } {
  const turn = turnText(before, after);
  const sentence = `${code(address)} now does something else with requests${turn === undefined ? "" : `: ${turn}`}.`;
  return { sentence, namesFields: turn === undefined };
}

/** The deny actions of before that are missing after, neither with the same conditions nor without any. */
function deniedNoLonger(before: Row, after: Row): readonly Action[] {
  const now = after.actions.value.filter(({ type }) => type === "deny");
  const still = (action: Action) =>
    now.some(
      ({ direction, when }) =>
        direction === action.direction && (when.length === 0 || canonical(when) === canonical(action.when)),
    );
  return before.actions.value.filter(
    (action) => action.type === "deny" && (!still(action) || after.actions.maybeOff),
  );
}

const remaining = (row: Row, without: readonly Action[]): string =>
  row.actions.value
    .filter((action) => !without.includes(action))
    .map(({ content }) => content)
    .join("\n");

const protects = (row: Row): boolean =>
  row.clientCertificate.value !== null ||
  row.actions.value.some(({ type }) => type === "deny" || type === "rate-limit");

const trafficField: FieldRules = {
  field: "backend",
  read: traffic,
  evaluate(rows, { address }) {
    const [was, is] = [flowOf(rows.before), flowOf(rows.after)];
    const { maybeOff, unknown, value } = traffic(rows.after);
    const [before, after] = [flowText(was), flowText(is)];
    const draft = (report: Pick<RuledDraft, "rule" | "sentence" | "namesFields">): RuledDraft[] => [
      onAddress(rows, traffic, { before, after, ...report }),
    ];
    const silenced = silencedIn(rows);
    if (silenced.length > 0) {
      if (!isGoing(was)) return [];
      const sentence = `${code(address)} sends nothing to ${listed(silenced.map(code))} any more, because what comes first always answers: ${after} (before: ${before}).`;
      return draft({ rule: "traffic-stopped", sentence });
    }
    if (isGoing(was) && (!isGoing(is) || maybeOff)) {
      const sentence = maybeOff
        ? `${code(address)} may no longer have anything to answer it: whether its backend is enabled is not known yet.`
        : nothingAnswers(code(address), NO_ANSWER[value.reason]);
      return draft({ rule: "traffic-stopped", sentence });
    }
    if ((keyOf(was) === keyOf(is) || (!isGoing(was) && !isGoing(is))) && !unknown) return [];
    // If nobody answered before and a credential may bind now, no traffic has moved.
    if (!isGoing(was) && value.reason === "tunnels") return [];
    const sentence = is.unknown
      ? `Traffic of ${code(address)} may go elsewhere: where to is not known yet (before: ${before}).`
      : `Traffic of ${code(address)} goes elsewhere now: ${after} (before: ${before}).`;
    return draft({ rule: "traffic-moved", sentence, namesFields: before === after });
  },
};

const tlsField: FieldRules = {
  field: "tls_termination",
  read: tls,
  evaluate: (rows, { address }) => [
    ...terminationMoved(rows, code(address)),
    ...versionMoved(rows, code(address)),
  ],
};

function terminationMoved(rows: Rows, address: string): RuledDraft[] {
  const [was, is] = [rows.before.tls.value.ends_at, rows.after.tls.value.ends_at];
  const { unknown } = rows.after.tls;
  const draft = (report: Pick<RuledDraft, "severity" | "sentence">): RuledDraft[] => [
    onAddress(rows, tls, { rule: "termination-moved", before: was, after: is, ...report }),
  ];
  if (was === "upstream" && is === "edge") {
    const sentence = `TLS of ${address} ${unknown ? "may now end" : "now ends"} at the edge: the gateway reads the traffic from now on.`;
    return draft({ severity: "medium", sentence });
  }
  if (was !== "edge" || (is !== "upstream" && !unknown) || !protects(rows.before)) return [];
  const sentence = `TLS of ${address} ${is === "upstream" ? "now ends upstream" : "may end upstream"}: the edge no longer sees the traffic and cannot protect it as before.`;
  return draft({ sentence });
}

function versionMoved(rows: Rows, address: string): RuledDraft[] {
  const [was, is] = [rows.before.tls.value.from, rows.after.tls.value.from];
  if (was === null || is === null) return [];
  const draft = (rule: RuleName, effect: RuledDraft["effect"], sentence: string): RuledDraft[] => [
    onAddress(rows, tls, { rule, effect, sentence, before: was, after: is }),
  ];
  if (is < was)
    return draft(
      "tls-lowered",
      "opens",
      `${address} now accepts TLS ${is}; before, TLS ${was} was the lowest.`,
    );
  if (was < is) {
    const sentence = `${address} now accepts TLS ${is} at the lowest: clients of TLS ${was} are refused.`;
    return draft("tls-raised", "closes", sentence);
  }
  if (!rows.after.tls.unknown || was === "1.3") return [];
  const sentence = `${address} may refuse clients of TLS ${was}: the lowest version is not known yet.`;
  return draft("tls-raised", "closes", sentence);
}

const actionsField: FieldRules = {
  field: "policies",
  read: actions,
  evaluate(rows, { address }) {
    const { before, after } = rows;
    const gone = deniedNoLonger(before, after);
    const dropped = onAddress(rows, actions, {
      rule: "deny-dropped",
      effect: "either",
      sentence: `${code(address)} no longer denies what it denied: ${listed(gone.map((action) => code(actionText(action))))}.`,
      before: gone.map(actionText),
      after: after.actions.value.filter(({ type }) => type === "deny").map(actionText),
    });
    const drafts = gone.length > 0 ? [dropped] : [];
    const [was, is] = [remaining(before, gone), remaining(after, [])];
    const isReported = after.tls.value.ends_at === "upstream" && protects(before); // as termination-moved
    if ((was === is && !after.actions.unknown) || isReported) return drafts;
    const changed = onAddress(rows, actions, {
      rule: "actions-changed",
      effect: "either",
      ...doesElse(address, before.actions.value, after.actions.value),
      before: before.actions.value.map(actionText),
      after: after.actions.value.map(actionText),
      meaning: [shortHash(was), shortHash(is)],
    });
    return [...drafts, changed];
  },
};

const webhookField: FieldRules = {
  field: "webhook_verification",
  read: webhook,
  evaluate(rows, { address }) {
    const [was, is] = [rows.before.webhook.value, rows.after.webhook.value];
    if (canonical(was) === canonical(is) && !rows.after.webhook.unknown) return [];
    const now = is ? `only requests that ${is.provider} signed` : "requests that no service signed";
    const sentence = `${code(address)} now admits ${now}.`;
    const severity = was && !is ? "high" : "medium";
    const report = { rule: "webhook-changed", effect: "either", severity, sentence } as const;
    return [onAddress(rows, webhook, { ...report, before: was, after: is, namesFields: true })];
  },
};

const userAgentsField: FieldRules = {
  field: "user_agent_filter",
  read: userAgents,
  evaluate(rows, { address }) {
    const [was, is] = [rows.before.userAgents.value, rows.after.userAgents.value];
    if (canonical(was) === canonical(is) && !rows.after.userAgents.unknown) return [];
    const sentence = `${code(address)} now admits other user agents than before.`;
    const report = { rule: "user-agents-changed", effect: "either", sentence } as const;
    return [onAddress(rows, userAgents, { ...report, before: was, after: is, namesFields: true })];
  },
};

/** Rules for admitted traffic: TLS, actions, backends. */
export const trafficRules: readonly FieldRules[] = [
  trafficField,
  tlsField,
  actionsField,
  webhookField,
  userAgentsField,
];

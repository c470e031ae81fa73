import type { Action } from "../aspects/actions";
import type { Row } from "../exposure/rows";
import { shortHash } from "../hash";
import { inWords, isGoing, keyOf } from "../judgement/backends/flows";
import { reachOf } from "../judgement/backends/reach";
import { code } from "../names";
import { canonical } from "../values";
import { whereBoth } from "./access";
import { type AddressChange, listed, onAddress, type Rule } from "./finding";
import { NO_ANSWER, nothingAnswers } from "./sentences";

const traffic = (row: Row) => row.traffic;
const tls = (row: Row) => row.tls;
const actions = (row: Row) => row.actions;
const userAgents = (row: Row) => row.userAgents;
const webhook = (row: Row) => row.webhook;

const flowOf = (row: Row) => row.traffic.value.flow;

/** The backends that got requests and never will, because what comes before them now always answers. */
function silencedIn({ before, after }: { readonly before: Row; readonly after: Row }): string[] {
  const [was, is] = [reachOf(traffic(before).value.target), reachOf(traffic(after).value.target)];
  return [...is.idle].flatMap(([key, name]) => (was.reached.has(key) ? [name] : []));
}

const actionWords = ({ type, direction, when, settings }: Action): string =>
  `${type}${settings && ` (${settings})`} ${direction}${when.length > 0 ? ` if ${when.join(" and ")}` : ""}`;

/** What differs between actions, in words; undefined where they read alike. */
function turnWords(before: readonly Action[], after: readonly Action[]): string | undefined {
  const beyond = (some: readonly Action[], others: readonly Action[]) => {
    const theirs = others.map(({ content }) => content);
    return some
      .filter(({ content }) => {
        const at = theirs.indexOf(content);
        if (at >= 0) theirs.splice(at, 1);
        return at < 0;
      })
      .map((action) => code(actionWords(action)));
  };
  const [gone, come] = [beyond(before, after), beyond(after, before)];
  if (gone.length + come.length === 0) {
    const inTurn = (actions: readonly Action[]) =>
      listedInTurn(actions.map((action) => code(actionWords(action))));
    const [was, is] = [inTurn(before), inTurn(after)];
    return was === is ? undefined : `in another order: ${is} (before: ${was})`;
  }
  if (canonical(gone) === canonical(come)) return undefined;
  const types = [before, after].map((actions) => actions.map(({ type }) => type));
  const [was, is] = types.map((some) => canonical(some));
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
  const turn = turnWords(before, after);
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

/** Rules for admitted traffic: TLS, actions, backends. */
export const trafficRules: readonly Rule<AddressChange>[] = [
  {
    rule: "traffic-stopped",
    severity: "high",
    judge: whereBoth(traffic, ({ before, after }, change) => {
      const { maybeOff, value } = traffic(after);
      if (!isGoing(flowOf(before))) return [];
      const silenced = silencedIn({ before, after });
      if (silenced.length > 0)
        return onAddress(change, traffic, {
          sentence: `${code(change.address)} sends nothing to ${listed(silenced.map(code))} any more, because what comes first always answers: ${inWords(value.flow)} (before: ${inWords(flowOf(before))}).`,
          before: inWords(flowOf(before)),
          after: inWords(value.flow),
        });
      if (isGoing(value.flow) && !maybeOff) return [];
      return onAddress(change, traffic, {
        sentence: maybeOff
          ? `${code(change.address)} may no longer have anything to answer it: whether its backend is enabled is not known yet.`
          : nothingAnswers(code(change.address), NO_ANSWER[value.reason]),
        before: inWords(flowOf(before)),
        after: inWords(value.flow),
      });
    }),
  },
  {
    rule: "traffic-moved",
    severity: "medium",
    judge: whereBoth(traffic, ({ before, after }, change) => {
      const [was, is] = [flowOf(before), flowOf(after)];
      const unknown = traffic(after).unknown;
      if (
        (isGoing(was) && (!isGoing(is) || traffic(after).maybeOff)) ||
        silencedIn({ before, after }).length > 0 ||
        (keyOf(was) === keyOf(is) && !unknown)
      )
        return [];
      if (!isGoing(was) && !isGoing(is) && !unknown) return [];
      // If nobody answered before and a credential may bind now, no traffic has moved.
      if (!isGoing(was) && traffic(after).value.reason === "tunnels") return [];
      const sentence = traffic(after).value.flow.unknown
        ? `Traffic of ${code(change.address)} may go elsewhere: where to is not known yet (before: ${inWords(was)}).`
        : `Traffic of ${code(change.address)} goes elsewhere now: ${inWords(is)} (before: ${inWords(was)}).`;
      const namesFields = inWords(was) === inWords(is);
      return onAddress(change, traffic, { sentence, before: inWords(was), after: inWords(is), namesFields });
    }),
  },
  {
    rule: "termination-moved",
    severity: "high",
    judge: whereBoth(tls, ({ before, after }, change) => {
      const [was, is] = [before.tls.value, after.tls.value];
      if (was.ends_at === "upstream" && is.ends_at === "edge") {
        const now = after.tls.unknown ? "may now end" : "now ends";
        return onAddress(change, tls, {
          severity: "medium",
          sentence: `TLS of ${code(change.address)} ${now} at the edge: the gateway reads the traffic from now on.`,
          before: was.ends_at,
          after: is.ends_at,
        });
      }
      if (was.ends_at !== "edge" || (is.ends_at !== "upstream" && !after.tls.unknown) || !protects(before))
        return [];
      const moves = is.ends_at === "upstream" ? "now ends upstream" : "may end upstream";
      return onAddress(change, tls, {
        sentence: `TLS of ${code(change.address)} ${moves}: the edge no longer sees the traffic and cannot protect it as before.`,
        before: was.ends_at,
        after: is.ends_at,
      });
    }),
  },
  ...(["tls-lowered", "tls-raised"] as const).map(
    (rule): Rule<AddressChange> => ({
      rule,
      severity: "medium",
      judge: whereBoth(tls, ({ before, after }, change) => {
        const [was, is] = [before.tls.value.from, after.tls.value.from];
        if (was === null || is === null || (was === is && !after.tls.unknown)) return [];
        if (rule === "tls-lowered" ? was <= is : is < was || (was === is && was === "1.3")) return [];
        const sentence =
          rule === "tls-lowered"
            ? `${code(change.address)} now accepts TLS ${is}; before, TLS ${was} was the lowest.`
            : was === is
              ? `${code(change.address)} may refuse clients of TLS ${was}: the lowest version is not known yet.`
              : `${code(change.address)} now accepts TLS ${is} at the lowest: clients of TLS ${was} are refused.`;
        return onAddress(change, tls, { sentence, before: was, after: is });
      }),
    }),
  ),
  {
    rule: "deny-dropped",
    severity: "high",
    judge: whereBoth(actions, ({ before, after }, change) => {
      const gone = deniedNoLonger(before, after);
      if (gone.length === 0) return [];
      return onAddress(change, actions, {
        sentence: `${code(change.address)} no longer denies what it denied: ${listed(gone.map((action) => code(actionWords(action))))}.`,
        before: gone.map(actionWords),
        after: after.actions.value.filter(({ type }) => type === "deny").map(actionWords),
      });
    }),
  },
  {
    rule: "actions-changed",
    severity: "medium",
    judge: whereBoth(actions, ({ before, after }, change) => {
      const [was, is] = [remaining(before, deniedNoLonger(before, after)), remaining(after, [])];
      if (was === is && !after.actions.unknown) return [];
      if (after.tls.value.ends_at === "upstream" && protects(before)) return []; // reported as termination-moved
      return onAddress(change, actions, {
        ...doesElse(change.address, before.actions.value, after.actions.value),
        before: before.actions.value.map(actionWords),
        after: after.actions.value.map(actionWords),
        meaning: [shortHash(was), shortHash(is)],
      });
    }),
  },
  {
    rule: "webhook-changed",
    severity: "medium",
    judge: whereBoth(webhook, ({ before, after }, change) => {
      const [was, is] = [before.webhook.value, after.webhook.value];
      if (canonical(was) === canonical(is) && !after.webhook.unknown) return [];
      const now = is ? `only requests that ${is.provider} signed` : "requests that no service signed";
      return onAddress(change, webhook, {
        severity: was && !is ? "high" : "medium",
        sentence: `${code(change.address)} now admits ${now}.`,
        before: was,
        after: is,
        namesFields: true,
      });
    }),
  },
  {
    rule: "user-agents-changed",
    severity: "medium",
    judge: whereBoth(userAgents, ({ before, after }, change) => {
      const [was, is] = [before.userAgents.value, after.userAgents.value];
      if (canonical(was) === canonical(is) && !after.userAgents.unknown) return [];
      return onAddress(change, userAgents, {
        sentence: `${code(change.address)} now admits other user agents than before.`,
        before: was,
        after: is,
        namesFields: true,
      });
    }),
  },
];

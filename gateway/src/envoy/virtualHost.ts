import { all, escapeRegex, type Settled } from "@tunnelplane/sdk/rules";
import { answerOf } from "./headerChanges";
import { type Hostport, isWildcard } from "./hostports";
import { extension, type Json } from "./json";
import { requestPredicate } from "./predicate";
import { inOrder, type Served } from "./routes";
import { KINDS_OF_REQUESTS } from "./speech";

/** A check before the declared routes, as a route's match and as a predicate. */
interface Guard {
  readonly match: Json;
  readonly predicate: Json;
  readonly status: number;
}

/**
 * @param domains all that callers may write for the host
 *
 * A hostport's routes: a plain list where only paths decide, else a tree with the conditions of policies.
 */
export function virtualHost(
  { host }: Hostport,
  domains: readonly string[],
  served: readonly Served[],
  { semicolons }: { readonly semicolons: boolean },
): Json {
  const guards = [...(isWildcard(host) ? [oneLabel(host)] : []), ...(semicolons ? [noSemicolon] : [])];
  const ordered = [...served].sort(inOrder);
  const start = { name: host, domains };
  if (ordered.every(({ decision }) => "outcome" in decision)) {
    const routes = ordered.flatMap((route) => [
      ...kindsApart(route, route.decision).map((kind) => ({
        match: matchOf(route, kind),
        ...onlyFields(route, kind.use),
      })),
      { match: matchOf(route), ...onlyFields(route) },
    ]);
    return {
      ...start,
      routes: [...guards.map(({ match, status }) => ({ match, ...answerOf(status) })), ...routes],
    };
  }
  const last = ordered.find(({ exact, path, method }) => !exact && path === "/" && method === undefined);
  const matchers = [
    ...guards.map(({ predicate, status }) => ({ predicate, on_match: toRoute(answerOf(status)) })),
    ...ordered
      .filter((route) => route !== last)
      .map((route) => ({ predicate: predicateOf(route), on_match: toDecision(route.decision, route) })),
  ];
  const noMatch = last ? toDecision(last.decision, last) : toRoute(answerOf(404));
  return {
    ...start,
    matcher:
      matchers.length > 0 ? { matcher_list: { matchers }, on_no_match: noMatch } : (noMatch.matcher ?? {}),
  };
}

type KindOfRequest = (typeof KINDS_OF_REQUESTS)[number];

/** The requests that the route sends to other clusters than the rest, where it sends them anywhere. */
const kindsApart = ({ apart = [] }: Served, settled: Settled): readonly KindOfRequest[] =>
  "outcome" in settled && settled.outcome.answer
    ? []
    : KINDS_OF_REQUESTS.filter(({ use }) => apart.includes(use));

const onlyFields = ({ decision, fields }: Served, use?: KindOfRequest["use"]): Json =>
  "outcome" in decision ? fields(decision.outcome, use) : {};

function matchOf({ exact, path, method }: Served, kind?: KindOfRequest): Json {
  const headers = [
    ...(method === undefined ? [] : [{ name: ":method", string_match: { exact: method } }]),
    ...(kind ? [{ name: kind.header, string_match: { safe_regex: { regex: kind.regex } } }] : []),
  ];
  return {
    ...(exact ? { path } : { prefix: path }),
    headers: headers.length > 0 ? headers : undefined,
  };
}

const predicateOf = ({ exact, path, method }: Served): Json =>
  requestPredicate(
    all([
      { input: "path", test: exact ? { exact: path } : { prefix: path } },
      method === undefined || { input: "method", test: { exact: method } },
    ]),
  );

function toDecision(decision: Settled, route: Served): Json {
  const matchers: Json[] = [];
  let rest = decision;
  while ("when" in rest) {
    matchers.push({ predicate: requestPredicate(rest.when), on_match: toDecision(rest.yes, route) });
    rest = rest.no;
  }
  const { outcome } = rest;
  for (const { header, regex, use } of kindsApart(route, rest))
    matchers.push({
      predicate: requestPredicate({ input: { header }, test: { regex: `^(?:${regex})$` } }),
      on_match: toRoute(route.fields(outcome, use)),
    });
  const noMatch = toRoute(route.fields(outcome));
  return matchers.length === 0 ? noMatch : { matcher: { matcher_list: { matchers }, on_no_match: noMatch } };
}

const toRoute = (fields: Json): Json => ({
  action: extension("route", "envoy.config.route.v3.Route", { match: { prefix: "/" }, ...fields }),
});

/** A wildcard covers one label; Envoy's covers any number. */
function oneLabel(host: string): Guard {
  const regex = `(?i:[^.:]+${escapeRegex(host.slice(1))})(?::[0-9]+)?`;
  const name = ":authority";
  const input = extension("header", "envoy.type.matcher.v3.HttpRequestHeaderMatchInput", {
    header_name: name,
  });
  return {
    match: { prefix: "/", headers: [{ name, string_match: { safe_regex: { regex } }, invert_match: true }] },
    predicate: {
      not_matcher: { single_predicate: { input, value_match: { safe_regex: { google_re2: {}, regex } } } },
    },
    status: 421,
  };
}

const SEMICOLON = ";|%3[bB]";
const noSemicolon: Guard = {
  match: { safe_regex: { regex: `.*(?:${SEMICOLON}).*` } },
  predicate: requestPredicate({ input: "path", test: { regex: SEMICOLON } }),
  status: 400,
};

const MISDIRECTED = "This connection is not for the host and port that the request names.\n";

/** Takes requests for a host that is not served on this connection. */
export const misdirected = (hosts: readonly string[]): Json => ({
  name: "misdirected",
  domains: ["*", ...hosts],
  routes: [{ match: { prefix: "/" }, ...answerOf(421, MISDIRECTED) }],
});

import type { HttpsEdge, HttpsEdgeRoutes } from "@tunnelplane/sdk";
import { DEFAULT_PROJECT, OWN_PATHS } from "@tunnelplane/sdk/contract";
import {
  type Action,
  asksPath,
  type Effects,
  NOTHING,
  outcomesOf,
  refuseUnreachable,
  rewriteOf,
  type Settled,
  searching,
  settle,
} from "@tunnelplane/sdk/rules";
import { type Backends, DEFAULT_IDLE, type Destination } from "./backends";
import { compressing } from "./compression";
import { answerOf, headerChanges, type Response } from "./headerChanges";
import { type Hostport, isWildcard } from "./hostports";
import { withId } from "./indexes";
import { type Json, turnOn, typed } from "./json";
import { type TokenCheck, tokenCheck } from "./jwt";
import { countsByHost, limitFilter, limitNames } from "./limits";
import { type Environment, type Objects, Unreachable } from "./model";
import { networksOf } from "./networks";
import { admitting, routeRbac } from "./rbac";
import { hidesCookies } from "./sessionCookies";
import { returning, type SignIn, signIn } from "./signIn";
import { KINDS_OF_REQUESTS, type Use } from "./speech";
import { type WebhookCheck, webhookCheck } from "./webhooks";

/** A declared route as one hostport serves it. */
export interface Served {
  readonly exact: boolean;
  readonly path: string;
  /** The method of the requests that it takes among those with the path; undefined for all. */
  readonly method?: string;
  readonly decision: Settled;
  /** The fields of Envoy's route for an outcome, all but its match. @param use default: `requests` */
  readonly fields: (outcome: Effects, use?: Use) => Json;
  /** The requests that go to other clusters than the rest. Default: none. */
  readonly apart?: readonly Use[];
}

/** The part of a route in the filter chain that all routes share. */
export interface ChainRequirements {
  readonly tokens?: TokenCheck;
  readonly signIn?: SignIn;
  readonly webhook?: WebhookCheck;
  readonly hidesCookies: boolean;
  readonly limits: readonly Json[];
  readonly countsByHost: boolean;
  readonly logs: boolean;
  readonly conditional: boolean;
  readonly compresses: boolean;
}

export interface TranslationContext {
  readonly objects: Objects;
  readonly environment: Environment;
  readonly backends: Backends;
  /** All hosts of the edge. */
  readonly hosts: readonly string[];
}

type RouteMatch = Pick<Served, "exact" | "path" | "method">;
/** In the order in which Envoy tries them: whole paths (first those for one method), then prefixes. */
export const inOrder = (a: RouteMatch, b: RouteMatch): number =>
  Number(b.exact) - Number(a.exact) ||
  b.path.length - a.path.length ||
  (a.path === b.path
    ? Number(b.method !== undefined) - Number(a.method !== undefined)
    : a.path < b.path
      ? -1
      : 1);

interface Serving {
  readonly served: readonly Served[];
  readonly requirements: ChainRequirements;
  /** Why the route is refused, while its edge is served. */
  readonly refusal?: string;
}

export function serveRoute(route: HttpsEdgeRoutes, hostport: Hostport, context: TranslationContext): Serving {
  try {
    return serve(route, hostport, context);
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    return refuse(route, error.message, hidesCookies(hostport.host, context.objects.https_edge));
  }
}

/** Takes the place of the route, so that no shorter route takes its requests. */
function refuse(route: HttpsEdgeRoutes, why: string, hidesCookies: boolean): Serving {
  const answer = answerOf(503, "The gateway cannot check who may come here: what it asks does not answer.\n");
  const fields = () => ({ name: route.id, ...answer });
  return {
    served: [
      { exact: route.match_type === "exact_path", path: route.match, decision: { outcome: NOTHING }, fields },
    ],
    requirements: {
      hidesCookies,
      limits: [],
      countsByHost: false,
      logs: false,
      conditional: false,
      compresses: false,
    },
    refusal: `the route ${route.match} is refused, and the others are served: ${why}`,
  };
}

/** Answers paths below the gateway's own that belong to no route, such as callbacks of refused routes. */
export const OWN: Served = {
  exact: false,
  path: OWN_PATHS,
  decision: { outcome: NOTHING },
  fields: () => answerOf(404),
};

/**
 * The next agent, or the next backend of a failover, gets a request that was not answered at all, where
 * sending it twice does no harm.
 */
const AT_THE_NEXT: Json = {
  retry_on: "connect-failure,refused-stream,reset",
  num_retries: 2,
  retriable_request_headers: [
    { name: ":method", string_match: { safe_regex: { regex: "GET|HEAD|OPTIONS" } } },
  ],
  retry_priority: {
    name: "envoy.retry_priorities.previous_priorities",
    typed_config: typed("envoy.extensions.retry.priority.previous_priorities.v3.PreviousPrioritiesConfig", {
      update_frequency: 1,
    }),
  },
  retry_back_off: { base_interval: "0.01s", max_interval: "0.1s" },
};

/** Without policies. */
const UNTOUCHED: Settled = { outcome: NOTHING };

function serve(route: HttpsEdgeRoutes, hostport: Hostport, context: TranslationContext): Serving {
  const { objects, environment, backends, hosts } = context;
  refuseUnreachable(route.match);
  const host = isWildcard(hostport.host) ? undefined : hostport.host;
  const decision = route.policies?.enabled ? settle(route.policies, route.id, host) : UNTOUCHED;
  const outcomes = outcomesOf(decision);
  const limits = outcomes.flatMap((outcome) => outcome.limits.map(limitFilter));
  const networks = networksOf(route.ip_restriction, objects);
  const agents = userAgents(route.user_agent_filter);
  // Reasons to reject the edge come first, before reasons outside of the gateway.
  const to = (use: Use) =>
    backends.guarded(backends.destination(route.backend, hostport, use), route.id, route.circuit_breaker);
  const destination = to("requests");
  const others = new Map(KINDS_OF_REQUESTS.map(({ use }) => [use, to(use)]));
  const apart = [...others].flatMap(([use, other]) =>
    JSON.stringify(other) === JSON.stringify(destination) ? [] : [use],
  );
  const retries = backends.reachesAgents(destination) ? AT_THE_NEXT : undefined;
  const compresses = route.compression?.enabled === true;
  const jwt = route.jwt_validation;
  const tokens = jwt?.enabled ? tokenCheck(route.id, jwt, backends, environment) : undefined;
  const { project_id: project = DEFAULT_PROJECT.id } = withId(objects.https_edge, route.edge_id) ?? {};
  const session = route.oidc?.enabled
    ? signIn({ id: route.id, project }, route.oidc, hostport, hosts, backends, environment)
    : undefined;
  const webhook = webhookCheck(route, hostport.port, backends);
  const from = networks ? [networks] : [];
  const admit = networks || agents.length > 0 ? { admit: routeRbac(admitting(agents, from)) } : {};
  const open = { ...admit, ...session?.on };
  const withoutToken = {
    ...open,
    ...session?.idToken?.on,
    ...webhook?.on,
    ...(compresses ? compressing() : {}),
  };
  const declared = (checks: Json, method?: string): Served => ({
    exact: route.match_type === "exact_path",
    path: route.match,
    method,
    decision,
    apart,
    fields: (outcome, use = "requests") =>
      fieldsOf(route, outcome, { destination: others.get(use) ?? destination, retries }, checks),
  });
  return {
    served: [
      declared({ ...withoutToken, ...tokens?.on }),
      ...(jwt?.enabled && jwt.options_passthrough ? [declared(withoutToken, "OPTIONS")] : []),
      ...(session ? ofSession(route.id, session, { admit, agents, from }) : []),
    ],
    requirements: {
      tokens,
      signIn: session,
      webhook,
      hidesCookies: hidesCookies(hostport.host, objects.https_edge),
      limits,
      countsByHost: outcomes.some(({ limits }) => limits.some(countsByHost)),
      logs: outcomes.some(({ logs }) => logs.length > 0),
      conditional: "when" in decision,
      compresses,
    },
  };
}

/** The paths at which a user comes back from the issuer, and signs out. */
function ofSession(
  id: string,
  session: SignIn,
  {
    admit,
    agents,
    from,
  }: { readonly admit: Json; readonly agents: readonly Json[]; readonly from: readonly Json[] },
): Served[] {
  const own = (path: string, answer: Response, filters: Json, method?: string): Served => ({
    exact: true,
    path,
    method,
    decision: { outcome: NOTHING },
    fields: () => ({ name: id, ...answer, typed_per_filter_config: filters }),
  });
  const mayEnd = routeRbac(admitting([...agents, ...session.mayEnd], from));
  return [
    own(session.callback, answerOf(404), { ...admit, ...session.on, ...returning() }),
    own(session.signOut, answerOf(404), { ...session.on, ...returning(), admit: mayEnd }, "POST"),
    own(session.signOut, answerOf(405, "", { allow: "POST" }), admit),
  ];
}

function fieldsOf(
  route: HttpsEdgeRoutes,
  { limits, logs, rewrite, answer }: Effects,
  towards: Towards,
  checks: Json,
): Json {
  const turned = [...limitNames(limits), ...(logs.length > 0 ? ["log"] : [])].map((name) => [name, turnOn()]);
  const filters = { ...checks, ...Object.fromEntries(turned) };
  const to = answer ? answerTo(answer) : sending(towards, rewrite);
  return {
    name: route.id,
    ...to,
    ...headerChanges(route, "direct_response" in to ? to.response_headers_to_add : []),
    metadata: logs.length > 0 ? { filter_metadata: { tunnelplane: { log: logs } } } : undefined,
    typed_per_filter_config: Object.keys(filters).length > 0 ? filters : undefined,
  };
}

function answerTo({ type, config }: Action): Response {
  const status = Number(config.status_code ?? 403);
  if (type === "deny") return answerOf(status);
  // As the contract has checked them.
  return answerOf(
    status,
    config.content as string | undefined,
    config.headers as Record<string, string> | undefined,
  );
}

interface Towards {
  readonly destination: Destination;
  /** How often a request is sent again that was not answered at all. */
  readonly retries: Json | undefined;
}

function sending(
  { destination, retries }: Towards,
  rewrite: Action | undefined,
): Response | { readonly route: Json } {
  if (destination === "nowhere")
    return answerOf(503, "No application is behind this path: its backend is disabled, or has no weight.\n");
  if ("response" in destination) return destination.response;
  const { clusters } = destination;
  const to = clusters.length === 1 ? { cluster: clusters[0]?.name } : { weighted_clusters: { clusters } };
  const { idle = DEFAULT_IDLE } = destination.traits ?? {};
  return {
    route: {
      ...to,
      // No limit for downloads and streams but silence.
      timeout: "0s",
      idle_timeout: idle === DEFAULT_IDLE ? undefined : `${idle}s`,
      regex_rewrite: rewrite && rewriteOf(rewrite),
      retry_policy: retries,
    },
  };
}

function userAgents(filter: HttpsEdgeRoutes["user_agent_filter"]): Json[] {
  // With neither list it refuses nobody; exposure says the same.
  if (!filter?.enabled) return [];
  const found = (patterns: readonly string[]): Json => ({
    or_rules: {
      rules: patterns.map((pattern) => ({
        header: {
          name: "user-agent",
          string_match: { safe_regex: { regex: searching(pattern) } },
          treat_missing_header_as_empty: true,
        },
      })),
    },
  });
  return [
    ...(filter.allow.length > 0 ? [found(filter.allow)] : []),
    ...(filter.deny.length > 0 ? [{ not_rule: found(filter.deny) }] : []),
  ];
}

/**
 * Whether a route, a policy or a rewrite depends on the path. Some servers cut paths at a semicolon, so that
 * they would read another path than the gateway.
 */
export const dependsOnPath = ({ routes }: HttpsEdge, served: readonly Served[]): boolean =>
  routes.some(({ match, match_type }) => match !== "/" || match_type === "exact_path") ||
  served.some(({ decision }) => asksPath(decision));

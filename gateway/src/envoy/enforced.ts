import type { HttpsEdge, TcpEdge, TlsEdge } from "@tunnelplane/sdk";
import type { ActionName, EdgeKind, Kind, ModuleName, ModuleNameOf } from "@tunnelplane/sdk/contract";
import { type Known, refuseUnknownIn } from "@tunnelplane/sdk/rules";

type KindWith<M extends ModuleName> = { [K in Kind]: M extends ModuleNameOf<K> ? K : never }[Kind];

/**
 * The means that enforce each module of each kind. If a module of the contract has no entry, this does not
 * compile.
 */
export const ENFORCED = {
  circuit_breaker: { https_edge_route: "outlier detection of clusters of the route's own" },
  compression: { https_edge_route: "compressor filters" },
  request_headers: { https_edge_route: "the route's request headers" },
  response_headers: { https_edge_route: "the route's response headers" },
  webhook_verification: { https_edge_route: "an external authorization by the gateway" },
  backend: {
    tls_edge: "the TCP proxy's clusters",
    tcp_edge: "the TCP proxy's clusters",
    https_edge_route: "the route's clusters",
  },
  ip_restriction: {
    tls_edge: "the chain's networks",
    tcp_edge: "the chain's networks",
    https_edge_route: "the route's RBAC",
  },
  jwt_validation: { https_edge_route: "the JWT filter, and RBAC for algorithms" },
  mutual_tls: { tls_edge: "the chain's TLS context", https_edge: "the chain's TLS context" },
  oidc: { https_edge_route: "an OAuth2 filter" },
  policies: {
    tls_edge: "the chain's networks, and network filters",
    tcp_edge: "the chain's networks, and network filters",
    https_edge_route: "the route's matchers and filters",
  },
  tls_termination: { tls_edge: "the chain's TLS context", https_edge: "the chain's TLS context" },
  user_agent_filter: { https_edge_route: "the route's RBAC" },
} satisfies Enforcement;

/** An entry for every module of the contract and every kind that has it. */
export type Enforcement = { readonly [M in ModuleName]: Readonly<Record<KindWith<M>, string>> };

/**
 * The means for each action of policies. If an action of the contract has no entry, this does not compile.
 */
export const ENFORCED_ACTIONS = {
  deny: "a direct response; on TLS and TCP edges the chain's networks",
  "custom-response": "a direct response",
  log: "an access log",
  "rate-limit": "a local rate limit",
  "url-rewrite": "the route's regex_rewrite",
} satisfies Readonly<Record<ActionName, string>>;

/** @throws if an edge or route has an enabled module, an action or a value that this gateway does not know */
export function refuseUnknown(kind: EdgeKind, edge: HttpsEdge | TlsEdge | TcpEdge): void {
  const { routes, ...fields } = { routes: [], ...edge };
  refuseUnknownIn({ kind, fields }, "the edge", KNOWN);
  for (const route of routes)
    refuseUnknownIn(
      { kind: "https_edge_route", fields: { ...route } },
      `the route ${JSON.stringify(route.match)}`,
      KNOWN,
    );
}

const KNOWN: Known = {
  module: (kind, name) =>
    Object.entries<object>(ENFORCED).some(([module, kinds]) => module === name && Object.hasOwn(kinds, kind)),
  action: (type) => Object.hasOwn(ENFORCED_ACTIONS, type),
};

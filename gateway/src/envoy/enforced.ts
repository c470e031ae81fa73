import type { HttpsEdge, HttpsEdgeRoutes, TlsEdge } from "@tunnelplane/sdk";
import {
  createSchema,
  definitionOf,
  formatPath,
  isObject,
  type Kind,
  type ModuleName,
  type ModuleNameOf,
  unknownChoice,
} from "@tunnelplane/sdk/contract";
import { effectOf, type Policies } from "@tunnelplane/sdk/rules";
import { Unservable } from "./model";

type KindWith<M extends ModuleName> = { [K in Kind]: M extends ModuleNameOf<K> ? K : never }[Kind];

/** What enforces each module of each kind. A module of the contract without an entry does not compile. */
export const ENFORCED = {
  backend: { tls_edge: "the TCP proxy's clusters", https_edge_route: "the route's clusters" },
  ip_restriction: { tls_edge: "network RBAC", https_edge_route: "the route's RBAC" },
  jwt_validation: { https_edge_route: "the JWT filter, and RBAC for algorithms" },
  mutual_tls: { tls_edge: "the chain's TLS context", https_edge: "the chain's TLS context" },
  oidc: { https_edge_route: "an OAuth2 filter" },
  policies: { tls_edge: "network filters", https_edge_route: "the route's matchers and filters" },
  tls_termination: { tls_edge: "the chain's TLS context", https_edge: "the chain's TLS context" },
  user_agent_filter: { https_edge_route: "the route's RBAC" },
} satisfies Enforcement;

/** Something for every module of the contract and every kind that has it. */
export type Enforcement = { readonly [M in ModuleName]: Readonly<Record<KindWith<M>, string>> };

/** @throws where an edge or route has an enabled module, an action or a value that is not known here */
export function refuseUnknown(edge: HttpsEdge | TlsEdge): void {
  refuseUnknownOf("routes" in edge ? "https_edge" : "tls_edge", edge, "the edge");
  const routes = "routes" in edge ? edge.routes : [];
  for (const route of routes)
    refuseUnknownOf("https_edge_route", route, `the route ${JSON.stringify(route.match)}`);
}

function refuseUnknownOf(kind: Kind, fields: HttpsEdge | HttpsEdgeRoutes | TlsEdge, owner: string): void {
  for (const [name, value] of Object.entries(fields))
    if (isEnabled(value) && !isEnforced(kind, name))
      throw new Unservable(
        `the module ${JSON.stringify(name)} of ${owner} is not known to this gateway: upgrade this gateway, or disable the module`,
      );
  // Also of policies whose conditions never hold, and after an action that ends the request.
  if ("policies" in fields && isEnabled(fields.policies))
    for (const { actions } of policiesOf(fields.policies)) for (const { type } of actions) effectOf(type);
  const choice = unknownChoice(
    createSchema(definitionOf(kind)),
    Object.fromEntries(Object.entries(fields).filter(isAsked)),
  );
  if (choice)
    throw new Unservable(
      `the value ${JSON.stringify(choice.value)} of ${formatPath(choice.path)} of ${owner} is not known to this gateway: upgrade this gateway, or choose another`,
    );
}

/** What a disabled module says is nothing that is to be enforced. */
const isAsked = ([, value]: [string, unknown]): boolean => typeof value !== "object" || isEnabled(value);

const policiesOf = ({ inbound, outbound }: Policies) => [...inbound, ...outbound];

/** What is neither on nor off counts as on. */
const isEnabled = <T>(value: T): value is T & { enabled: unknown } =>
  isObject(value) && "enabled" in value && value.enabled !== false;

const isEnforced = (kind: Kind, name: string): boolean =>
  Object.entries<object>(ENFORCED).some(([module, kinds]) => module === name && Object.hasOwn(kinds, kind));

import type { Answers } from "@tunnelplane/sdk";
import {
  definitionOf,
  hasEnded,
  isEdgeKind,
  isWithheld,
  withServedHostports,
} from "@tunnelplane/sdk/contract";
import { Unservable } from "@tunnelplane/sdk/rules";
import type { Counting } from "./counting";
import type { Json } from "./json";
import { ENFORCED_KINDS, type EnforcedKind, isEnforcedKind } from "./kinds";
import { faultOf, textsIn } from "./readable";
import type { Recording } from "./recording";
import type { Tracing } from "./tracing";

/** The field that gateways get besides, for an object outside of `default`. */
export interface InProject {
  /** The id of its project; absent in `default`. */
  readonly project_id?: string;
}

/** The objects that a gateway enforces, as the API answers them; HTTPS edges with their routes. */
export type Objects = { readonly [K in EnforcedKind]: readonly (Answers[K] & InProject)[] } & {
  /** Why some objects cannot be read, by id. Of such edges, `Objects` keeps the names. */
  readonly unreadable: ReadonlyMap<string, string>;
};

/** A certificate with its key, for the names that it is good for. */
export interface ServerCertificate {
  /** Names of hosts, or `*.` and a domain. */
  readonly names: readonly string[];
  /** PEM: the certificate, and those that lead to its authority. */
  readonly chain: string;
  /** PEM. */
  readonly key: string;
  /** In milliseconds. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** Whether a reserved domain names it: it then wins over files. */
  readonly isReserved?: true;
  /** Why it cannot be served. */
  readonly fault?: string;
  /** What clients may not take, though it is served. */
  readonly warning?: string;
}

/** Where hostports of a port are served. */
export interface Listen {
  readonly port: number;
  readonly address: string;
  readonly bindPort: number;
}

/** Load balancers in front of a gateway: they say who the caller is. */
export interface Balancers {
  /** Where they are, in CIDR notation. */
  readonly networks: readonly string[];
  /**
   * Whether they use the PROXY protocol for that, and not X-Forwarded-For. If so, nobody else may connect.
   */
  readonly proxyProtocol: boolean;
}

/** An issuer's discovery document. */
export interface Issuer {
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  /** The URL of the keys of its ID tokens; null if it names none, undefined if that was never read. */
  readonly jwksUri?: string | null;
  /** How clients say who they are at the token endpoint; null if it names no way, undefined as above. */
  readonly authMethods?: readonly string[] | null;
}

/**
 * The addresses of an upstream, none while its name cannot be resolved; or why it is refused; or, in a trial,
 * the socket of its stand-in.
 */
export type Upstream =
  | { readonly addresses: readonly string[] }
  | { readonly refused: string }
  | { readonly standIn: string };

/** The addresses of static backends, issuers and key sets, at one moment. */
export interface Upstreams {
  /** @param host a name, or an IP address without brackets */
  find(host: string, port: number): Upstream;
}

/** Everything that a configuration depends on besides the objects. */
export interface Environment {
  readonly certificates: readonly ServerCertificate[];
  /** Shown to an authority that asks, by ALPN, whether their names lead here. Default: none. */
  readonly challenges?: readonly ServerCertificate[];
  readonly listen: readonly Listen[];
  /** Where the ports of TCP edges are served. Default: nowhere, so TCP edges are rejected. */
  readonly tcpListen?: readonly Listen[];
  /** Default: none, so the client that connects is the caller. */
  readonly balancers?: Balancers;
  /** The folder of the sockets behind which agents are. */
  readonly sockets: string;
  /** The file with the authorities that upstreams, issuers and key sets are checked against. */
  readonly trust: string;
  /** By the issuer's URL, as edges declare it. */
  readonly issuers: ReadonlyMap<string, Issuer>;
  /** The key sets that answered once, by URL; if undefined, all count as good. */
  readonly keySets?: ReadonlyMap<string, unknown>;
  /** Why a document could not be read at the last try, by the URL of its issuer or key set. Default: none. */
  readonly unread?: ReadonlyMap<string, string>;
  /**
   * Whether the gateway answers for issuers at a socket of its own: it redeems codes, and has the key sets
   * of `keySets`. Default: Envoy asks issuers, and a session ends with its token.
   */
  readonly answersForIssuers?: boolean;
  readonly upstreams: Upstreams;
  /** The key that signs session cookies; each route gets a key derived from it. */
  readonly sessionKey: string;
  /** Where requests are counted. Default: nowhere. */
  readonly recording?: Recording;
  /** Where requests and connections are counted by hostport. Default: nowhere. */
  readonly counting?: Counting;
  /** Where requests are traced. Default: nowhere. */
  readonly tracing?: Tracing;
  /** In milliseconds. */
  readonly now: number;
  /** Marks of the chains of edges, by the edge's id: with a new one, connections end. Default: none. */
  readonly marks?: ReadonlyMap<string, number>;
}

/** What a name ends with, so that the chains of an edge are new ones. */
export function markOf({ marks }: Pick<Environment, "marks">, edge: string): string {
  const mark = marks?.get(edge);
  return mark === undefined ? "" : ` #${mark}`;
}

export interface EdgeState {
  readonly id: string;
  readonly state: "applied" | "rejected";
  /** Why it is rejected, or a warning; empty for an edge that is served as it was declared. */
  readonly reason: string;
}

/** The configuration for Envoy. */
export interface Configuration {
  readonly listeners: readonly Json[];
  readonly clusters: readonly Json[];
  /** Route configurations that the listeners name. */
  readonly routes: readonly Json[];
  /** Certificates, keys and passwords that the others name. */
  readonly secrets: readonly Json[];
  readonly edges: readonly EdgeState[];
}

export { Unservable };

/**
 * A route needs something that does not answer or is denied. The route is refused, and its edge is served.
 */
export class Unreachable extends Unservable {}

/**
 * Sorts `{kind, fields}` into lists by kind; kinds that no gateway obeys are left out. The lists hold only
 * what can be read, so that one object that another server stored keeps no other from being served; and
 * what has not ended, and waits for nothing.
 * @param now in milliseconds since 1970. Default: the clock's
 */
export function objectsOf(
  world: readonly { readonly kind: string; readonly fields: object }[],
  now = Date.now(),
): Objects {
  const lists = new Map(ENFORCED_KINDS.map((kind): [string, object[]] => [kind, []]));
  const unreadable = new Map<string, string>();
  for (const { kind, fields } of world) {
    if (!isEnforcedKind(kind) || isWithheld(fields) || hasEnded(definitionOf(kind), { ...fields }, now))
      continue;
    const fault = faultOf(kind, { ...fields });
    if (fault === undefined) lists.get(kind)?.push(withoutWaiting(withServedHostports(fields)));
    else if ("id" in fields) {
      unreadable.set(String(fields.id), fault);
      const hostports = "hostports" in fields ? textsIn(fields.hostports) : [];
      if (isEdgeKind(kind)) lists.get(kind)?.push({ ...fields, hostports, routes: [] });
    }
  }
  // The API answers these fields of a kind, and the code above has checked those that a translation needs.
  return { ...Object.fromEntries(lists), unreadable } as unknown as Objects;
}

/** An HTTPS edge without such routes; the same object where it has none, because others remember it. */
function withoutWaiting(fields: object): object {
  if (!("routes" in fields) || !Array.isArray(fields.routes)) return fields;
  const routes = fields.routes.filter((route: object) => !isWithheld(route));
  return routes.length === fields.routes.length ? fields : { ...fields, routes };
}

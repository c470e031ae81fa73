// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type { Ref } from "../client/ref";

/** The fields of `backend`. */
export interface TlsEdgeBackend {
  /** Whether the module is applied to traffic. Default true. */
  enabled: boolean;

  /** The backend that gets the traffic. */
  backend: Ref;
}

/** The fields of `ip_restriction`. */
export interface TlsEdgeIpRestriction {
  /** Whether the module is applied to traffic. Default true. */
  enabled: boolean;

  /** The IP policies that a source address is checked against; not empty while enabled. */
  ip_policies: Ref[];
}

/** The fields of `mutual_tls`. */
export interface TlsEdgeMutualTls {
  /** Whether the module is applied to traffic. Default true. */
  enabled: boolean;

  /** The authorities that may have signed a client's certificate; not empty while enabled. */
  certificate_authorities: Ref[];
}

/** The fields of `tls_termination`. */
export interface TlsEdgeTlsTermination {
  /** Whether the module is applied to traffic. Default true. */
  enabled: boolean;

  /** Where TLS is terminated: at the `edge`, or `upstream` at the agent or server. Default `edge`. */
  terminate_at: "edge" | "upstream";

  /** The lowest TLS version that is accepted. Default `1.2`; null when TLS is terminated upstream. */
  min_version: "1.2" | "1.3" | null;
}

/** The fields of `inbound`. */
export interface TlsEdgePoliciesInbound {
  /** A name for people. */
  name: string;

  /** Conditions in CEL, the Common Expression Language, of at most 4 KiB each, nested at most 100 deep; the actions run when all of them hold, always when there are none. Invalid CEL is refused. Gateways serve `req.method`, `req.host`, `req.path`, `req.user_agent`, `conn.client_ip`, `conn.ClientIP`, `conn.tls.sni`, `req.headers["x"]`, comparison, `in`, `startsWith`, `endsWith`, `contains`, `matches`, `inCidrRange`, `&&`, `||`, `!`, parentheses, literals and lists; other CEL is stored, and a preview warns about it. */
  expressions: string[];

  /** The actions, in the order in which they run. */
  actions: (
    | { type: "deny"; config: { status_code?: number } }
    | { type: "log"; config: { metadata?: Record<string, unknown> } }
    | { type: "rate-limit"; config: { name: string; algorithm?: "sliding_window"; capacity: number; rate: string; bucket_key?: string[] } }
    | { type: "url-rewrite"; config: { from: string; to: string } }
  )[];
}

/** The fields of `outbound`. */
export interface TlsEdgePoliciesOutbound {
  /** A name for people. */
  name: string;

  /** Conditions in CEL, the Common Expression Language, of at most 4 KiB each, nested at most 100 deep; the actions run when all of them hold, always when there are none. Invalid CEL is refused. Gateways serve `req.method`, `req.host`, `req.path`, `req.user_agent`, `conn.client_ip`, `conn.ClientIP`, `conn.tls.sni`, `req.headers["x"]`, comparison, `in`, `startsWith`, `endsWith`, `contains`, `matches`, `inCidrRange`, `&&`, `||`, `!`, parentheses, literals and lists; other CEL is stored, and a preview warns about it. */
  expressions: string[];

  /** The actions, in the order in which they run. */
  actions: (
    | { type: "deny"; config: { status_code?: number } }
    | { type: "log"; config: { metadata?: Record<string, unknown> } }
    | { type: "rate-limit"; config: { name: string; algorithm?: "sliding_window"; capacity: number; rate: string; bucket_key?: string[] } }
    | { type: "url-rewrite"; config: { from: string; to: string } }
  )[];
}

/** The fields of `policies`. */
export interface TlsEdgePolicies {
  /** Whether the module is applied to traffic. Default true. */
  enabled: boolean;

  /** Policies for inbound traffic. */
  inbound: TlsEdgePoliciesInbound[];

  /** Policies for outbound traffic. */
  outbound: TlsEdgePoliciesOutbound[];
}

/** The fields of `leaving`. */
export interface TlsEdgeLeaving {
  modules: string[];

  after: string[];
}

/**
 * Serves hostports over TLS and sends their traffic to a backend. Its modules restrict, authenticate and shape that traffic; each can be declared here or as a resource of its own.
 *
 * As the API returns it.
 */
export interface TlsEdge {
  /** Identifier, `edgtls_` and 27 characters that sort by time. */
  id: string;

  /** Address of this object. */
  uri: string;

  /** When it was created (RFC 3339). */
  created_at: string;

  /** A description for people. At most 255 bytes. */
  description: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata: string;

  /** The hostports that the edge serves, each `<host>:<port>`. No two edges may serve the same one. */
  hostports: string[];

  /** The backend of the traffic. */
  backend: TlsEdgeBackend | null;

  /** Limits the source addresses that may connect. */
  ip_restriction: TlsEdgeIpRestriction | null;

  /** Requires client certificates of certain authorities. */
  mutual_tls: TlsEdgeMutualTls | null;

  /** Sets where TLS is terminated, and the lowest version. */
  tls_termination: TlsEdgeTlsTermination | null;

  /** Conditions and actions on inbound and outbound traffic. */
  policies: TlsEdgePolicies | null;

  /** The object that it was created to replace (`?replaces=`) and that still serves: this one serves nothing until that one is deleted, and then takes over at once. Null otherwise. */
  waits_for: Ref | null;

  /** The parts without which it serves nothing: those that follow its creation (`?closed_without=`), and those that were deleted because it will be deleted next (`?closes=`). Null otherwise. */
  closed_without: string[] | null;

  /** The modules that an update removed for the time `after` it has these other parts (`?remove_after=`): until then they apply. Null otherwise. */
  leaving: TlsEdgeLeaving | null;

  /** The hostports that an update added, with parts that follow (`?closed_without=`): these serve nothing until the edge has the parts in `closed_without`, and all others go on. Null otherwise. */
  closed_hostports: string[] | null;
}

/** The fields of `backend`. */
export interface TlsEdgeBackendReplace {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: boolean;

  /** The backend that gets the traffic. */
  backend_id: string;
}

/** The fields of `ip_restriction`. */
export interface TlsEdgeIpRestrictionReplace {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: boolean;

  /** The IP policies that a source address is checked against; not empty while enabled. */
  ip_policy_ids: string[];
}

/** The fields of `mutual_tls`. */
export interface TlsEdgeMutualTlsReplace {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: boolean;

  /** The authorities that may have signed a client's certificate; not empty while enabled. */
  certificate_authority_ids: string[];
}

/** The fields of `tls_termination`. */
export interface TlsEdgeTlsTerminationReplace {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: boolean;

  /** Where TLS is terminated: at the `edge`, or `upstream` at the agent or server. Default `edge`. */
  terminate_at?: "edge" | "upstream";

  /** The lowest TLS version that is accepted. Default `1.2`; null when TLS is terminated upstream. */
  min_version?: "1.2" | "1.3" | null;
}

/** The fields of `inbound`. */
export interface TlsEdgePoliciesInboundReplace {
  /** A name for people. */
  name?: string;

  /** Conditions in CEL, the Common Expression Language, of at most 4 KiB each, nested at most 100 deep; the actions run when all of them hold, always when there are none. Invalid CEL is refused. Gateways serve `req.method`, `req.host`, `req.path`, `req.user_agent`, `conn.client_ip`, `conn.ClientIP`, `conn.tls.sni`, `req.headers["x"]`, comparison, `in`, `startsWith`, `endsWith`, `contains`, `matches`, `inCidrRange`, `&&`, `||`, `!`, parentheses, literals and lists; other CEL is stored, and a preview warns about it. */
  expressions?: string[];

  /** The actions, in the order in which they run. */
  actions: (
    | { type: "deny"; config?: { status_code?: number } }
    | { type: "log"; config?: { metadata?: Record<string, unknown> } }
    | { type: "rate-limit"; config: { name: string; algorithm?: "sliding_window"; capacity: number; rate: string; bucket_key?: string[] } }
    | { type: "url-rewrite"; config: { from: string; to: string } }
  )[];
}

/** The fields of `outbound`. */
export interface TlsEdgePoliciesOutboundReplace {
  /** A name for people. */
  name?: string;

  /** Conditions in CEL, the Common Expression Language, of at most 4 KiB each, nested at most 100 deep; the actions run when all of them hold, always when there are none. Invalid CEL is refused. Gateways serve `req.method`, `req.host`, `req.path`, `req.user_agent`, `conn.client_ip`, `conn.ClientIP`, `conn.tls.sni`, `req.headers["x"]`, comparison, `in`, `startsWith`, `endsWith`, `contains`, `matches`, `inCidrRange`, `&&`, `||`, `!`, parentheses, literals and lists; other CEL is stored, and a preview warns about it. */
  expressions?: string[];

  /** The actions, in the order in which they run. */
  actions: (
    | { type: "deny"; config?: { status_code?: number } }
    | { type: "log"; config?: { metadata?: Record<string, unknown> } }
    | { type: "rate-limit"; config: { name: string; algorithm?: "sliding_window"; capacity: number; rate: string; bucket_key?: string[] } }
    | { type: "url-rewrite"; config: { from: string; to: string } }
  )[];
}

/** The fields of `policies`. */
export interface TlsEdgePoliciesReplace {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: boolean;

  /** Policies for inbound traffic. */
  inbound?: TlsEdgePoliciesInboundReplace[];

  /** Policies for outbound traffic. */
  outbound?: TlsEdgePoliciesOutboundReplace[];
}

/** The body that creates a TLS edge. */
export interface TlsEdgeCreate {
  /** A description for people. At most 255 bytes. */
  description?: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: string;

  /** The hostports that the edge serves, each `<host>:<port>`. No two edges may serve the same one. */
  hostports?: string[];

  /** The backend of the traffic. */
  backend?: TlsEdgeBackendReplace;

  /** Limits the source addresses that may connect. */
  ip_restriction?: TlsEdgeIpRestrictionReplace;

  /** Requires client certificates of certain authorities. */
  mutual_tls?: TlsEdgeMutualTlsReplace;

  /** Sets where TLS is terminated, and the lowest version. */
  tls_termination?: TlsEdgeTlsTerminationReplace;

  /** Conditions and actions on inbound and outbound traffic. */
  policies?: TlsEdgePoliciesReplace;
}

/** The body that updates a TLS edge; fields left out stay as they are. */
export type TlsEdgeUpdate = Partial<TlsEdgeCreate>;

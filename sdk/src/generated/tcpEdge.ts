// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type { Ref } from "../client/ref";

/** The fields of `backend`. */
export interface TcpEdgeBackend {
  /** Whether the module is applied to traffic. Default true. */
  enabled: boolean;

  /** The backend that gets the traffic. */
  backend: Ref;
}

/** The fields of `ip_restriction`. */
export interface TcpEdgeIpRestriction {
  /** Whether the module is applied to traffic. Default true. */
  enabled: boolean;

  /** The IP policies that a source address is checked against; not empty while enabled. */
  ip_policies: Ref[];
}

/** The fields of `inbound`. */
export interface TcpEdgePoliciesInbound {
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
export interface TcpEdgePoliciesOutbound {
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
export interface TcpEdgePolicies {
  /** Whether the module is applied to traffic. Default true. */
  enabled: boolean;

  /** Policies for inbound traffic. */
  inbound: TcpEdgePoliciesInbound[];

  /** Policies for outbound traffic. */
  outbound: TcpEdgePoliciesOutbound[];
}

/** The fields of `leaving`. */
export interface TcpEdgeLeaving {
  modules: string[];

  after: string[];
}

/**
 * Serves ports over TCP and sends the bytes of each connection to a backend as they are. Connections say no name, so a port belongs to one edge. Its modules restrict and shape that traffic; each can be declared here or as a resource of its own.
 *
 * As the API returns it.
 */
export interface TcpEdge {
  /** Identifier, `edgtcp_` and 27 characters that sort by time. */
  id: string;

  /** Address of this object. */
  uri: string;

  /** When it was created (RFC 3339). */
  created_at: string;

  /** A description for people. At most 255 bytes. */
  description: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata: string;

  /** The hostports that the edge serves, each `<host>:<port>`: a domain name or an IP address, and a port of the server's `--tcp-ports`. All connections to the port come here, so no other edge may have it. */
  hostports: string[];

  /** The backend of the traffic. */
  backend: TcpEdgeBackend | null;

  /** Limits the source addresses that may connect. */
  ip_restriction: TcpEdgeIpRestriction | null;

  /** Conditions and actions on inbound and outbound traffic. */
  policies: TcpEdgePolicies | null;

  /** The object that it was created to replace (`?replaces=`) and that still serves: this one serves nothing until that one is deleted, and then takes over at once. Null otherwise. */
  waits_for: Ref | null;

  /** The parts without which it serves nothing: those that follow its creation (`?closed_without=`), and those that were deleted because it will be deleted next (`?closes=`). Null otherwise. */
  closed_without: string[] | null;

  /** The modules that an update removed for the time `after` it has these other parts (`?remove_after=`): until then they apply. Null otherwise. */
  leaving: TcpEdgeLeaving | null;

  /** The hostports that an update added, with parts that follow (`?closed_without=`): these serve nothing until the edge has the parts in `closed_without`, and all others go on. Null otherwise. */
  closed_hostports: string[] | null;
}

/** The fields of `backend`. */
export interface TcpEdgeBackendReplace {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: boolean;

  /** The backend that gets the traffic. */
  backend_id: string;
}

/** The fields of `ip_restriction`. */
export interface TcpEdgeIpRestrictionReplace {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: boolean;

  /** The IP policies that a source address is checked against; not empty while enabled. */
  ip_policy_ids: string[];
}

/** The fields of `inbound`. */
export interface TcpEdgePoliciesInboundReplace {
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
export interface TcpEdgePoliciesOutboundReplace {
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
export interface TcpEdgePoliciesReplace {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: boolean;

  /** Policies for inbound traffic. */
  inbound?: TcpEdgePoliciesInboundReplace[];

  /** Policies for outbound traffic. */
  outbound?: TcpEdgePoliciesOutboundReplace[];
}

/** The body that creates a TCP edge. */
export interface TcpEdgeCreate {
  /** A description for people. At most 255 bytes. */
  description?: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: string;

  /** The hostports that the edge serves, each `<host>:<port>`: a domain name or an IP address, and a port of the server's `--tcp-ports`. All connections to the port come here, so no other edge may have it. */
  hostports?: string[];

  /** The backend of the traffic. */
  backend?: TcpEdgeBackendReplace;

  /** Limits the source addresses that may connect. */
  ip_restriction?: TcpEdgeIpRestrictionReplace;

  /** Conditions and actions on inbound and outbound traffic. */
  policies?: TcpEdgePoliciesReplace;
}

/** The body that updates a TCP edge; fields left out stay as they are. */
export type TcpEdgeUpdate = Partial<TcpEdgeCreate>;

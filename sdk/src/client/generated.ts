// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type { Kind } from "../contract/kinds";
import type { Role } from "../contract/role";
import type { Ref } from "./ref";

/** The answer to an agent's request to bind. */
export interface BindAuthorization {
  /** Whether all of it may be bound. */
  readonly allowed: boolean;

  /** The credential of the token or key; null if there is none. */
  readonly credential: Ref | null;

  /** The owner of the credential. */
  readonly owner_id: string | null;

  /** The projects whose hostports and labels it may serve: its own, and shared ones. */
  readonly project_ids: readonly string[];

  /** The binds that the credential allows; empty for all. */
  readonly acl: readonly string[];

  /** When the credential ends (RFC 3339); null for never. */
  readonly expires_at: string | null;

  /** Why it is not allowed; empty if it is. */
  readonly reason: string;
}

/** The fields of `projects`. */
export interface CallerProject {
  /** The project. */
  readonly id: string;

  /** Its name. */
  readonly name: string;

  /** The role in it. */
  readonly role: Role;
}

/** The owner of an API key, its role, and the server that knows it. */
export interface Caller {
  /** The user or bot that owns the API key. */
  readonly owner_id: string;

  /** Name of the owner. */
  readonly name: string;

  /** Role of the owner; null for a user who has none yet. */
  readonly role: Role | null;

  /** The API key, or the session. */
  readonly key_id: string;

  /** The account of this server's database, as events name it in `account_id`: the same at every address, for all servers of one database, and after a restore. */
  readonly server_id: string;

  /** The role for the whole account; null for one that holds for projects alone. */
  readonly account_role: Role | null;

  /** The projects in which the caller has a role. */
  readonly projects: readonly CallerProject[];

  /** What the API key may do of what the role allows; empty: all. */
  readonly scopes: readonly string[];

  /** When the key expires (RFC 3339); null if it does not. */
  readonly expires_at: string | null;
}

/** The fields of `objects`. */
export interface ChangeSetObjects {
  /** Kind of the object. */
  readonly kind: Kind;

  /** Name of the object, unique for its kind in its set. */
  readonly key: string;

  /** Id of the object. */
  readonly id: string;
}

/** A set, with its objects and their keys. */
export interface ChangeSet {
  /** Name of the set. */
  readonly set: string;

  /** Address of the set. */
  readonly uri: string;

  /** When it was first applied (RFC 3339). */
  readonly created_at: string;

  /** The user or bot that applied it first; only that one and admins may use it. */
  readonly owner_id: string;

  /** All objects of the set, by kind and key; credentials of others are left out. */
  readonly objects: readonly ChangeSetObjects[];
}

/** The fields of `objects`. */
export interface SetObject {
  /** Kind of the object. */
  readonly kind: Kind;

  /** Name of the object, unique for its kind in its set. */
  readonly key: string;

  /** An object that exists: adopts it, or gives an object of the set another key. */
  readonly id?: string;

  /** The fields of its creation. `{"$key": "tunnel_group_backend/web"}` takes the place of the id of an object of the set; `"$key:tunnel_group_backend/web"`, of one that is the key of a map. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** The desired state of a set. */
export interface ChangeSetRequest {
  /** Name of the set. */
  readonly set: string;

  /** `own` deletes the objects of the set that the request leaves out; `merge` leaves them as they are. Default `"merge"`. */
  readonly mode?: "merge" | "own";

  /** The digest of a plan: the server goes on only if it would still do the same. */
  readonly expect?: string;

  /** How many objects may be deleted because the request leaves them out. Default `0`. */
  readonly max_deletes?: number;

  /** The objects that the set shall have, in any order. */
  readonly objects: readonly SetObject[];
}

/** The fields of `changes`. */
export interface SetOperationChanges {
  readonly path: string;

  readonly old?: unknown;

  readonly new?: unknown;
}

/** The fields of `operations`. */
export interface SetOperation {
  /** The action on the object. */
  readonly op: "create" | "update" | "replace" | "delete" | "adopt";

  /** Kind of the object. */
  readonly kind: Kind;

  /** Name of the object, unique for its kind in its set. */
  readonly key: string;

  /** Id of the object; null in a plan, if it does not exist yet. */
  readonly id: string | null;

  /** Id of the object that it replaces. */
  readonly replaced_id?: string;

  /** The fields that differ, with old and new value; of a secret, only the path. */
  readonly changes: readonly SetOperationChanges[];

  /** A one-time secret of a new object; never in a plan. */
  readonly token?: string;
}

/** What an apply did, or would do. */
export interface ChangeSetResult {
  /** Name of the set. */
  readonly set: string;

  /** The actions that were or would be carried out, without unchanged objects. */
  readonly operations: readonly SetOperation[];

  /** Identifies this plan, for `expect`: the request, the operations and the versions of all objects that were read. */
  readonly digest: string;
}

/** A set in lists. */
export interface ChangeSetSummary {
  /** Sorts sets by time; `before_id` takes it. */
  readonly id: string;

  /** Name of the set. */
  readonly set: string;

  /** Address of the set. */
  readonly uri: string;

  /** When it was first applied (RFC 3339). */
  readonly created_at: string;

  /** The user or bot that applied it first; only that one and admins may use it. */
  readonly owner_id: string;

  /** How many objects it has. */
  readonly object_count: number;
}

/** The fields of `principal`. */
export interface EventPrincipal {
  /** The user or bot that made the change. */
  readonly id: string;

  /** Its name. */
  readonly subject: string;

  /** `SERVER` for changes by the server itself on its first start, and for commands on its command line. */
  readonly source: "API" | "SERVER";

  /** The API key or session that was used. */
  readonly credential: Ref | null;
}

/** The object as the API shows it, without its secrets; for a deletion, its last state. Its `id` alone for gateways that may not read it. */
export interface EventObject {
  readonly id: string;

  readonly [field: string]: unknown;
}

/** The fields of `changes`. */
export interface EventChanges {
  readonly path: string;

  readonly old?: unknown;

  readonly new?: unknown;
}

/** One change of one object. */
export interface Event {
  /** Identifier; the same on every delivery. */
  readonly event_id: string;

  /** Type of the event, for example `ip_policy_created.v0`. */
  readonly event_type: string;

  /** When (RFC 3339). */
  readonly event_timestamp: string;

  /** Its place in the order of all changes; only with `after_id` or `wait`, for gateways and admins of the account. */
  readonly sequence?: number;

  /** Id of the account; one database is one account. */
  readonly account_id: string;

  /** Who made the change. Left out for gateways, where they may not read the object. */
  readonly principal?: EventPrincipal;

  /** The object as the API shows it, without its secrets; for a deletion, its last state. Its `id` alone for gateways that may not read it. */
  readonly object: EventObject;

  /** The fields that an update changed. Secrets appear without their values. */
  readonly changes?: readonly EventChanges[];
}

/** The delivery of an event to a destination. */
export interface EventDelivery {
  /** Id of the event; the same on every attempt. */
  readonly event_id: string;

  /** Its type. */
  readonly event_type: string;

  /** Id of the changed object; events of one object arrive in order. */
  readonly object_id: string;

  /** When it happened (RFC 3339). */
  readonly event_timestamp: string;

  /** `dead` if the server gave up: refused for good, or failing for 24 hours. */
  readonly status: "pending" | "delivered" | "dead";

  /** Number of attempts. */
  readonly attempts: number;

  /** The service's answer to the last attempt, if that failed. */
  readonly last_error: string | null;

  /** Earliest time of the next attempt, while it is pending. */
  readonly due_at: string | null;

  /** Time of the first attempt. */
  readonly first_attempt_at: string | null;

  /** Time of the last attempt. */
  readonly last_attempt_at: string | null;

  /** When the service accepted it. */
  readonly delivered_at: string | null;
}

/** The result of a test event. */
export interface EventDestinationTest {
  /** Id of the event that was sent. */
  readonly event_id: string;

  /** Whether the service accepted it. */
  readonly ok: boolean;

  /** The service's answer, if it did not accept the event. */
  readonly error: string | null;
}

/** What the server answers to an exchange. */
export interface ExchangedToken {
  /** The API key. */
  readonly access_token: string;

  readonly issued_token_type: "urn:ietf:params:oauth:token-type:access_token";

  readonly token_type: "Bearer";

  /** When it ends, in seconds from now. */
  readonly expires_in: number;

  /** The key's scopes, with spaces between; left out where it has all. */
  readonly scope?: string;
}

/** The fields of `words`. */
export interface ExposureFactsWords {
  /** The field of this row that they are about. */
  readonly field: string;

  /** Its name for people: `Client certificate`. */
  readonly title: string;

  /** In one line; null where nothing is asked. */
  readonly text: string | null;
}

/** The fields of `agents`. */
export interface GatewayAgent {
  /** The credential that it logged in with. */
  readonly credential: string;

  /** Its binds. */
  readonly bind: readonly string[];

  /** Its IP address. */
  readonly address: string;

  /** Since when it serves (RFC 3339). */
  readonly since: string;

  /** The id that the gateway gave its session. */
  readonly session?: string;

  /** The greeting of its SSH client. */
  readonly client?: string;

  /** Where it forwards to; SSH does not say it. */
  readonly forwards_to?: string;

  /** The object's name, as a program or a catalogue gave it. Of the credential; left out where it has none. */
  readonly resource_name?: string;
}

/** The fields of `gateways`. */
export interface ExposureFactsGateways {
  readonly name: string;

  readonly last_seen: string;

  readonly state: "applied" | "rejected";

  readonly reason: string;

  /** The agents of this gateway that serve the address and that the caller may see, at most 100, the longest there first; only where the query names an `address`. */
  readonly agents?: readonly GatewayAgent[];

  /** How many further agents of this gateway serve the address: credentials of other owners, too. */
  readonly other_agents?: number;
}

/** What the server adds to a row of exposures. */
export interface ExposureFacts {
  /** Each part that is checked, in words, in the order in which people read them. */
  readonly words: readonly ExposureFactsWords[];

  /** The checks that callers have to pass, each in a word or two: `client certificate`. */
  readonly checks: readonly string[];

  /** The state of the edge at each gateway that reported it, among the 20 gateways that reported last. */
  readonly gateways?: readonly ExposureFactsGateways[];
}

/** A gateway in lists. */
export interface Gateway {
  /** Name of the gateway. */
  readonly name: string;

  /** Address of its status. */
  readonly uri: string;

  /** When it last reported (RFC 3339). */
  readonly last_seen: string;

  /** The version of the gateway. */
  readonly version: string;

  /** The version of Envoy. */
  readonly envoy_version: string;

  /** The sequence of the last event that it has followed; only for gateways and admins of the account. */
  readonly sequence?: number;

  /** The ports that it listens for; absent if it does not report them. */
  readonly ports?: readonly number[];

  /** How many edges of the project it serves. */
  readonly applied: number;

  /** How many edges of the project it does not serve, or not completely. */
  readonly rejected: number;
}

/** The fields of `edges`. */
export interface ReportedEdge {
  /** The edge. */
  readonly id: string;

  /** `rejected` if it is not served, or not completely. */
  readonly state: "applied" | "rejected";

  /** Why it is rejected, or a warning of one that is applied. */
  readonly reason: string;
}

/** The fields of `agents`. */
export interface ReportedAgent {
  /** The credential that it logged in with. */
  readonly credential: string;

  /** Its binds. */
  readonly bind: readonly string[];

  /** Its IP address. */
  readonly address: string;

  /** Since when it serves (RFC 3339). */
  readonly since: string;

  /** The id that the gateway gave its session. */
  readonly session?: string;

  /** The greeting of its SSH client. */
  readonly client?: string;

  /** Where it forwards to; SSH does not say it. */
  readonly forwards_to?: string;

  /** The rules of each bind. Default: each hostport of `bind` is one, and all its labels are one. */
  readonly binds?: readonly (readonly string[])[];
}

/** A gateway's report about itself. */
export interface GatewayReport {
  /** The version of the gateway. */
  readonly version: string;

  /** The version of Envoy. */
  readonly envoy_version: string;

  /** The sequence of the last event that it has followed. Default `0`. */
  readonly sequence: number;

  /** The ports that it listens for, as hostports name them. */
  readonly ports?: readonly number[];

  /** The state of each edge. */
  readonly edges: readonly ReportedEdge[];

  /** The agents, with their binds. */
  readonly agents: readonly ReportedAgent[];
}

/** The fields of `edges`. */
export interface GatewayEdge {
  /** The edge. */
  readonly id: string;

  /** `rejected` if it is not served, or not completely. */
  readonly state: "applied" | "rejected";

  /** Why it is rejected, or a warning of one that is applied. */
  readonly reason: string;

  /** The object's name, as a program or a catalogue gave it. Left out where it has none. */
  readonly resource_name?: string;
}

/** A gateway with its complete report. */
export interface GatewayStatus {
  /** Name of the gateway. */
  readonly name: string;

  /** Address of its status. */
  readonly uri: string;

  /** When it last reported (RFC 3339). */
  readonly last_seen: string;

  /** The version of the gateway. */
  readonly version: string;

  /** The version of Envoy. */
  readonly envoy_version: string;

  /** The sequence of the last event that it has followed; only for gateways and admins of the account. */
  readonly sequence?: number;

  /** The ports that it listens for; absent if it does not report them. */
  readonly ports?: readonly number[];

  /** How many edges of the project it serves. */
  readonly applied: number;

  /** How many edges of the project it does not serve, or not completely. */
  readonly rejected: number;

  /** The state of each edge: for gateways and admins of the account all, for others of the project. */
  readonly edges: readonly GatewayEdge[];

  /** The agents, with their binds. Only admins see those of other owners' credentials. */
  readonly agents: readonly GatewayAgent[];

  /** How many agents of the project are left out, because their credentials belong to other owners. */
  readonly other_agents: number;
}

/** The text that fits best. */
export interface SearchResultMatched {
  /** The field. */
  readonly field: string;

  /** Its text; of one with more than 200 characters, the part with what was found. */
  readonly text: string;
}

/** The fields of `results`. */
export interface SearchResult {
  /** Identifier of the object. */
  readonly id: string;

  /** Its type, as in this document. */
  readonly type: string;

  /** Its kind. */
  readonly kind: Kind;

  /** Its name in the program that made it; absent without one. */
  readonly resource_name?: string;

  /** Its name for people: the one in the program, or else a text of its own, or else its id. */
  readonly title: string;

  /** The text that fits best. */
  readonly matched: SearchResultMatched;

  /** Its address. */
  readonly uri: string;

  /** The object that it belongs to: the edge of a route, the policy of a rule. */
  readonly parent_id?: string;
}

/** The objects that a search found. */
export interface SearchResults {
  /** The best first, then the newest. */
  readonly results: readonly SearchResult[];

  /** Whether further objects fit. */
  readonly has_more: boolean;
}

/** The head of the audit log. Keep a copy elsewhere to verify later that nobody changed the log up to this row. */
export interface AuditHead {
  /** The number of the last row; 0 while there is none. */
  readonly sequence: number;

  /** The hash of the last row, which covers every row before. */
  readonly hash: string;
}

/** The hostports that gateways serve: one endpoint for each, however many gateways serve it. */
export interface Endpoint {
  /** Identifier, beginning with `ep_`. */
  readonly id: string;

  /** Its address. */
  readonly uri: string;

  /** Since when it is served (RFC 3339). */
  readonly created_at: string;

  /** When another edge took it over last (RFC 3339). */
  readonly updated_at: string;

  /** Always "": one server is one region. */
  readonly region: string;

  /** The hostport, in lower case. */
  readonly hostport: string;

  /** Its host. */
  readonly host: string;

  /** Its port. */
  readonly port: number;

  /** The protocol, by the kind of its edge. */
  readonly proto: "https" | "tls" | "tcp";

  /** The same as `proto`. */
  readonly scheme: "https" | "tls" | "tcp";

  /** The address for callers. */
  readonly public_url: string;

  /** Always `edge`. */
  readonly type: "edge";

  /** The edge that serves it. */
  readonly edge: Ref;

  /** The reserved domain that covers its host; null for none. */
  readonly domain: Ref | null;

  /** The reserved address of its port; null for none. */
  readonly tcp_addr: Ref | null;

  /** The newest tunnel that binds it; null for none that the caller may see. */
  readonly tunnel: Ref | null;

  /** The session of that tunnel. */
  readonly tunnel_session: Ref | null;
}

/** What agents have bound: one tunnel for each hostport, or for each set of labels. Members see those of their own credentials. */
export interface Tunnel {
  /** Identifier, beginning with `tn_`. */
  readonly id: string;

  /** Its address. */
  readonly uri: string;

  /** Since when it is bound (RFC 3339). */
  readonly started_at: string;

  /** The protocol of its endpoint; "" without one. */
  readonly proto: string;

  /** Always "": one server is one region. */
  readonly region: string;

  /** The address of its endpoint; "" without one. */
  readonly public_url: string;

  /** The session that bound it. */
  readonly tunnel_session: Ref;

  /** The endpoint of its hostport; null for labels, and where no edge serves it. */
  readonly endpoint: Ref | null;

  /** Its labels; empty for a hostport. */
  readonly labels: Readonly<Record<string, string>>;

  /** The tunnel-group backends whose labels it has; none for a hostport. */
  readonly backends: readonly Ref[];

  /** Where the agent forwards to, if its gateway knows. */
  readonly forwards_to: string;

  /** Always "": it cannot be known over SSH. */
  readonly metadata: string;
}

/** The agents that are connected and have bound something. Members see and end those of their own credentials. */
export interface TunnelSession {
  /** Identifier, beginning with `ts_`. */
  readonly id: string;

  /** Its address. */
  readonly uri: string;

  /** Since when it is connected (RFC 3339). */
  readonly started_at: string;

  /** The credential that it logged in with. */
  readonly credential: Ref;

  /** The address that it comes from. */
  readonly ip: string;

  /** The greeting of its SSH client. */
  readonly agent_version: string;

  /** Always "": it cannot be known over SSH. */
  readonly os: string;

  /** Always "": one server is one region. */
  readonly region: string;

  /** Always `ssh/2`. */
  readonly transport: "ssh/2";

  /** Always "": it cannot be known over SSH. */
  readonly metadata: string;
}

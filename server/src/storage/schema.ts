import type { Role } from "@tunnelplane/sdk/contract";
import type { Generated } from "kysely";

/** The tables, as Kysely sees them. */
export interface Database {
  /** Facts about the database itself. */
  setting: { name: string; value: string };
  /** Users; bots are resources. */
  principal: PrincipalRow;
  /** Sessions of users, by the hashes of their secrets. */
  session: SessionRow;
  /** Command lines that wait for somebody to let them in, and codes that let one in, by their hash. */
  login: LoginRow;
  /** Every object of every kind. `document` is the JSON that a GET answers. */
  resource: {
    id: string;
    kind: string;
    owner_id: string;
    version: number;
    document: string;
    /** The project in which it was made, for good. */
    project_id: string;
    /** The name in the program that made it; null for none. */
    name: string | null;
  };
  /** References between objects. With `cascades`, the referring object is deleted too. */
  reference: { from_id: string; to_id: string; field: string; cascades: 0 | 1 };
  /** Unique keys. */
  unique_key: { scope: string; value: string; resource_id: string };
  /** Objects that take over unique values of others, while both exist. */
  replacement: { old_id: string; new_id: string };
  /** Objects that end, as long as no event says that they have. `at` is in milliseconds since 1970. */
  ending: { resource_id: string; at: number };
  /** The addresses that guarantees cover; see `guarantees/addressKeys.ts`. */
  guarantee_address: { address_key: string; guarantee_id: string; enforced: 0 | 1 };
  /** The kept states of guarantees. */
  guarantee_state: GuaranteeStateRow;
  /**
   * Hashes of one-time secrets: authtokens and API keys. A key ends with the session or identity it came
   * from.
   */
  one_time_secret: {
    resource_id: string;
    hash: string;
    session_id: string | null;
    identity_id: string | null;
    identity_version: number | null;
  };
  /** The hour in which each API key was last used, as an RFC 3339 timestamp. */
  key_use: { key_id: string; hour: string };
  /**
   * API keys that identity tokens were exchanged for, by their hash: valid while their identity has this
   * version. `scopes` is a JSON list.
   */
  exchanged_key: ExchangedKeyRow;
  /** Sealed secrets that the server needs again and no answer shows, such as private keys of authorities. */
  sealed_secret: { resource_id: string; name: string; value: string };
  /** The data keys, each wrapped under a master key, which is not in the database. */
  sealing_key: { id: string; master_id: string; wrapped: string; created_at: string };
  /** The event log. `sequence` is that of the event's row in the audit log. */
  event: {
    id: string;
    sequence: number;
    type: string;
    object_id: string;
    created_at: string;
    payload: string;
    /** That of its object. */
    project_id: string;
  };
  /**
   * The event types of a project that a subscription sends to a destination, for events after `since`. Those
   * up to `position` have been read: each that was wanted then has a delivery.
   */
  subscription_cursor: {
    event_type: string;
    destination_id: string;
    subscription_id: string;
    project_id: string;
    since: number;
    position: number;
  };
  /** Events at their destinations, as far as subscriptions have been read. */
  delivery: DeliveryRow;
  /**
   * Committed changes that have no position in the event log and the audit log yet; see the architecture page
   * of storage.
   */
  inbox: InboxRow;
  /** The audit log: rows are added and never changed. Each holds the hash of the row before. */
  audit_event: AuditEventRow;
  /**
   * One row: the head of the audit log, signed with a key that needs the master key; and the data key in use.
   */
  audit_head: { id: 1; sequence: number; hash: string; key_id: string; mac: string };
  /** Sessions of agents that have bound something. `binds` is a JSON list of lists of rules. */
  tunnel_session: TunnelSessionRow;
  /** Their binds, one by one: `bind` is a JSON list of rules, `hostport` null for labels. */
  tunnel: TunnelRow;
  /**
   * Sessions that somebody ended lately. Until `kept_out_until`, in milliseconds since 1970, their credential
   * may not log in from their address.
   */
  ended_session: {
    id: string;
    credential_id: string;
    ip: string;
    ended_at: number;
    kept_out_until: number;
  };
  /** The hostports that gateways serve or have served, with the edge as it was reported last. */
  endpoint: EndpointRow;
  /** The edges that each gateway serves. */
  served_edge: { edge_id: string; gateway: string };
  /** How far the certificate of each reserved domain is that has a policy. */
  acme_order: AcmeOrderRow;
  /** Certificates that were ordered; `unused_since` is in milliseconds since 1970, null for one in use. */
  acme_certificate: { certificate_id: string; domain_id: string; unused_since: number | null };
  /** At most one row: the server that orders certificates, until a moment in milliseconds since 1970. */
  acme_lease: { id: 1; holder: string; until: number };
  /** When orders were placed in the last three hours, in milliseconds since 1970. */
  acme_placed: { placed_at: number };
  /** The last report of each gateway. `edges` and `agents` are JSON lists, as they were sent. */
  gateway: GatewayRow;
  /**
   * Change sets. `version` counts the applies that changed anything. A project has one set of a name.
   */
  changeset: {
    id: string;
    name: string;
    owner_id: string;
    version: number;
    created_at: string;
    project_id: string;
  };
  /**
   * The keys of objects in their sets. `declared` is a JSON list of the fields that the set declared for it.
   */
  changeset_object: {
    resource_id: string;
    changeset_id: string;
    kind: string;
    key: string;
    declared: string;
  };
  /** Sealed first answers to idempotent requests, for their repetitions. */
  idempotency_key: {
    owner_id: string;
    key: string;
    request_hash: string;
    answer: string;
    created_at: string;
    project_id: string;
    /** The object that the request created. */
    created_id: string | null;
  };
}

export interface PrincipalRow {
  id: string;
  name: string;
  /** The role for the whole account; `none` for users whom only memberships give one. */
  role: Role | "none";
  created_at: string;
  /** The identity provider that knows it, and by which name; null for the first admin. */
  issuer: string | null;
  subject: string | null;
  email: string | null;
  active: 0 | 1;
  /** The groups of the last sign-in, as a JSON list of texts. */
  groups: string;
  last_sign_in_at: string | null;
}

export interface SessionRow {
  hash: string;
  id: string;
  user_id: string;
  /** `console`: the value of a browser's cookie; `command_line`: a key that the command line keeps. */
  kind: "console" | "command_line";
  created_at: string;
  expires_at: string;
  /** The address from which it was begun. */
  client: string;
  /** The claims of the identity provider about the user, as a JSON object. */
  claims: string;
  /** A hash of what the sign-in was begun with: each begins one session at most. */
  begun_as: string | null;
}

export interface LoginRow {
  hash: string;
  /** The code that somebody enters on a page; null for a code that a browser brings. */
  user_code: string | null;
  /** The PKCE challenge of the command line that may use the code. */
  challenge: string | null;
  /** The user who let it in; null for nobody yet. */
  user_id: string | null;
  /** The claims about that user, as a JSON object. */
  claims: string;
  expires_at: string;
}

export interface ExchangedKeyRow {
  hash: string;
  /** The id of the key, as audit rows name it. */
  id: string;
  identity_id: string;
  identity_version: number;
  /** The bot. */
  owner_id: string;
  scopes: string;
  expires_at: string;
}

export interface GuaranteeStateRow {
  guarantee_id: string;
  project_id: string;
  /** How many changes touched it, its own creation included. */
  touched: number;
  /** How many of them the state knows. */
  judged: number;
  /** JSON, as answers tell it; null for one that was never judged. */
  state: string | null;
  judged_at: string | null;
  /** The ports that gateways listened for then, as JSON; empty if they did not say. */
  ports: string;
  /** When the state may change by itself, because something ends; in milliseconds since 1970. */
  ends_at: number | null;
  /**
   * When it is to be judged: 0 after a change; `ends_at`; while a server judges it, when another one takes
   * over. In milliseconds since 1970; null for never.
   */
  due_at: number | null;
}

export interface DeliveryRow {
  destination_id: string;
  /** The sequence of the event. */
  sequence: number;
  object_id: string;
  /** `dead` is a dead letter. */
  status: "pending" | "delivered" | "dead";
  attempts: number;
  /** The service's answer to the last attempt, if that failed. */
  last_error: string | null;
  first_attempt_at: string | null;
  last_attempt_at: string | null;
  /**
   * When the next delivery of its object is due; while a batch has that, when its lease ends. One of the
   * pending deliveries of an object says so; null for the others.
   */
  due_at: string | null;
  /** The batch that has deliveries of its object, beside `due_at`; null for none. */
  lease: string | null;
}

export interface GatewayRow {
  name: string;
  last_seen: string;
  version: string;
  envoy_version: string;
  /** The last event that it has followed. */
  sequence: number;
  applied: number;
  rejected: number;
  edges: string;
  agents: string;
  /** A JSON list; null for a gateway that does not report it. */
  ports: string | null;
}

export interface AcmeOrderRow {
  domain_id: string;
  /**
   * `new`: to be ordered at `next_at`. `placing`: the authority was asked for an order, and its answer is not
   * stored. `ordered`: in progress. `issued`: to be renewed. `ending`: the policy is gone.
   */
  phase: "new" | "placing" | "ordered" | "issued" | "ending";
  /** Of the order in progress. */
  order_url: string | null;
  /** JSON: the challenge that is answered; null for none yet. */
  challenge: string | null;
  started_at: string | null;
  /** How many tries failed since the last certificate. */
  tries: number;
  /** How often the authority was looked at in a row without any news. */
  looks: number;
  /** When it goes on, in milliseconds since 1970. */
  next_at: number;
  renews_at: string | null;
}

export interface TunnelSessionRow {
  id: string;
  gateway: string;
  credential_id: string;
  /** Of the credential, as is its project. */
  owner_id: string;
  project_id: string;
  ip: string;
  client: string;
  forwards_to: string;
  binds: string;
  started_at: string;
}

export interface TunnelRow {
  id: string;
  session_id: string;
  owner_id: string;
  project_id: string;
  bind: string;
  hostport: string | null;
  started_at: string;
}

export interface EndpointRow {
  id: string;
  hostport: string;
  edge_id: string;
  project_id: string;
  created_at: string;
  updated_at: string;
}

export interface AuditEventRow {
  sequence: number;
  created_at: string;
  operation_id: string;
  principal_id: string;
  key_id: string | null;
  client: string | null;
  action: string;
  object_id: string | null;
  event_id: string | null;
  /** A JSON list of the paths that an update changed. */
  changed: string;
  /** A keyed hash of the object after the change; see Digests. Null after a deletion, and for no object. */
  object_digest: string | null;
  /** A keyed hash of the event; null for none. */
  event_digest: string | null;
  /** The writer's lane and the row's number in it, `<lane>:<k>`. Null in rows of SQLite. */
  lane: string | null;
  previous_hash: string;
  hash: string;
  /** The project that it is about; null for the whole account. */
  project_id: string | null;
}

export interface InboxRow
  extends Pick<
    AuditEventRow,
    | "created_at"
    | "operation_id"
    | "principal_id"
    | "key_id"
    | "client"
    | "action"
    | "changed"
    | "object_digest"
    | "event_digest"
  > {
  /** Drawn after the writer's last lock, so the changes of one object are in order. */
  n: Generated<number>;
  object_id: string;
  event_id: string;
  event_type: string;
  /** The event's. */
  payload: string;
  project_id: string;
  /** The data key under which `mac` signs every other column but `n`. */
  data_key_id: string;
  mac: string;
  /** See {@link Lane}. */
  lane: string;
  k: number;
}

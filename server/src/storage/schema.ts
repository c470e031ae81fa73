import type { Role } from "@tunnelplane/sdk/contract";

/** The tables, as Kysely sees them. */
export interface Database {
  /** Facts about the database itself. */
  setting: { name: string; value: string };
  /** Users; bots are resources. */
  principal: { id: string; name: string; role: Role; created_at: string };
  /** Every object of every kind. `document` is the JSON that a GET answers. */
  resource: { id: string; kind: string; owner_id: string; version: number; document: string };
  /** Which object refers to which, and whether it is deleted along with it (`cascades`). */
  reference: { from_id: string; to_id: string; field: string; cascades: 0 | 1 };
  /** Values that one object at a time may hold. */
  unique_key: { scope: string; value: string; resource_id: string };
  /** Hashes of secrets that were told once: authtokens and API keys. */
  told_secret: { resource_id: string; hash: string };
  /** Secrets that must be read again and that no answer shows, such as private keys of authorities; sealed. */
  sealed_secret: { resource_id: string; name: string; value: string };
  /** The data keys that seal, each kept under a master key that is not in the database. */
  sealing_key: { id: string; master_id: string; wrapped: string; created_at: string };
  /** What changed, in the words in which it is delivered. `sequence` is that of its row in the audit log. */
  event: { id: string; sequence: number; type: string; object_id: string; created_at: string; payload: string };
  /** Which types of events go to which destination, by which subscription: those after the event `since`. */
  route: { event_type: string; destination_id: string; subscription_id: string; since: number };
  /** How far each destination has taken events: those at or before `position`. Whoever takes or records some locks this row first. */
  feed: { destination_id: string; position: number };
  /** Events that a dispatcher took from a feed and is sending. Others may take them over when `leased_until` has passed. */
  batch: BatchRow;
  /** Events of a batch that were delivered at the first attempt, by the first of them. */
  sent: { destination_id: string; first: number; sequences: string; delivered_at: string };
  /** An event that did not simply go with a batch: it waits behind another of its object, or failed, or was replayed. */
  delivery: DeliveryRow;
  /**
   * The waiting deliveries of one object at one destination, which go there one after the other. `due_at` is when the next may be
   * tried; while a dispatcher sends it, or a batch with an event of the object, when others may take over. `lease` is the mark of
   * that dispatcher, or of that batch.
   */
  lane: { destination_id: string; object_id: string; due_at: string; lease: string | null };
  /** Who did what; rows are added and never changed, each holding the hash of the one before. */
  audit_event: AuditEventRow;
  /** The end of the audit log, with a code that only holders of the master key can make; and the data key in use. One row. */
  audit_head: { id: 1; sequence: number; hash: string; key_id: string; mac: string };
  /** What the audit log recorded of objects and events that are older than its digests: once, by the first start of a version that makes digests. */
  baseline: { id: string; digest: string };
  /** Answers that are given again to whoever repeats a request with the same Idempotency-Key; sealed. */
  idempotency_key: { owner_id: string; key: string; request_hash: string; answer: string; created_at: string };
}

export interface BatchRow {
  /** The mark of the dispatcher that has it. */
  id: string;
  destination_id: string;
  /** Its events, as a JSON list of their sequences. */
  sequences: string;
  /** What they are about, as a JSON list of the ends of ids: {@link objectEndsOf}. */
  object_ends: string;
  leased_until: string;
}

export interface DeliveryRow {
  destination_id: string;
  /** The event's. */
  sequence: number;
  event_type: string;
  object_id: string;
  /** A dead one has been given up. */
  status: "pending" | "delivered" | "dead";
  attempts: number;
  /** What the service said at the last attempt, if it was not accepted. */
  last_error: string | null;
  first_attempt_at: string | null;
  last_attempt_at: string | null;
  delivered_at: string | null;
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
  /** A keyed hash of the object as this row left it: see Digests. Null where it was deleted, and in rows of older versions. */
  object_digest: string | null;
  /** A keyed hash of the event. */
  event_digest: string | null;
  previous_hash: string;
  hash: string;
}

import { hash } from "node:crypto";
import { actionOf, SESSION_EVENTS } from "@tunnelplane/sdk/contract";
import type { AuditEventRow } from "../storage";

/** The actions that have an event and are about no stored object: sessions of agents. */
export const OF_NO_OBJECT: readonly string[] = SESSION_EVENTS.map(actionOf);

/** The setting that holds the highest sequence of an event that was removed. */
export const PRUNED_THROUGH = "events_pruned_through";

/** The `previous_hash` of the first audit row. */
export const GENESIS = "0".repeat(64);

type Hashed = Omit<AuditEventRow, "hash">;

/**
 * The fields that a row has before it has its position in the log. The order may never change: old rows are
 * verified by it.
 */
export const RECORDED = [
  "created_at",
  "operation_id",
  "principal_id",
  "key_id",
  "client",
  "action",
  "object_id",
  "event_id",
  "changed",
] as const satisfies readonly (keyof Hashed)[];

/** The fields that a row's hash covers, in this order. */
export const HASHED = [
  "sequence",
  ...RECORDED,
  "previous_hash",
  "object_digest",
  "event_digest",
  "lane",
  "project_id",
] as const satisfies readonly (keyof Hashed)[];

/** The SHA-256 (hex) of an audit row, which covers the hash of the row before. */
export const hashOf = (row: Hashed): string =>
  hash("sha256", JSON.stringify(HASHED.map((field) => row[field])), "hex");

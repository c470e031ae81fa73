import { hash } from "node:crypto";
import type { AuditEventRow } from "../storage";

/** What the first row of the audit log follows. */
export const GENESIS = "0".repeat(64);

type Hashed = Omit<AuditEventRow, "hash">;

/** The fields that a row's hash covers, in this order. The order may never change: old rows are verified by it. */
export const HASHED = [
  "sequence",
  "created_at",
  "operation_id",
  "principal_id",
  "key_id",
  "client",
  "action",
  "object_id",
  "event_id",
  "changed",
  "previous_hash",
] as const satisfies readonly (keyof Hashed)[];

/** What a row's hash covers besides, where the row has any of it: rows of older versions have none, and their hashes stay right. */
export const DIGESTS = ["object_digest", "event_digest"] as const satisfies readonly (keyof Hashed)[];

/** The SHA-256, in hex, of a row of the audit log, which covers the hash of the row before. */
export function hashOf(row: Hashed): string {
  const digests = DIGESTS.map((field) => row[field]);
  const covered = [...HASHED.map((field) => row[field]), ...(digests.some((digest) => digest !== null) ? digests : [])];
  return hash("sha256", JSON.stringify(covered), "hex");
}

import { hash } from "node:crypto";
import { actionOf, DEFAULT_PROJECT, SESSION_EVENTS } from "@tunnelplane/sdk/contract";
import type { AuditEventRow } from "../storage";

/** The actions that have an event and are about no stored object: sessions of agents. */
export const OF_NO_OBJECT: readonly string[] = SESSION_EVENTS.map(actionOf);

/** The setting that holds the highest sequence of an event that was removed. */
export const PRUNED_THROUGH = "events_pruned_through";

/** The `previous_hash` of the first audit row. */
export const GENESIS = "0".repeat(64);

type Hashed = Omit<AuditEventRow, "hash">;

/**
 * The fields that a row has before it has its place in the log. The order may never change: old rows are
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
export const HASHED = ["sequence", ...RECORDED, "previous_hash"] as const satisfies readonly (keyof Hashed)[];

/**
 * Covered by the hash too, if the row has them. Rows of older versions have none, so their hashes stay valid.
 */
export const DIGESTS = ["object_digest", "event_digest"] as const satisfies readonly (keyof Hashed)[];

/**
 * A row's project as hashes and signatures cover it: where it is `default` they are what older versions
 * wrote, so that those rows stay valid.
 */
export const coveredProject = (project: string | null): { project: string | null }[] =>
  project === DEFAULT_PROJECT.id ? [] : [{ project }];

/**
 * The SHA-256 (hex) of an audit row. It covers the hash of the row before, the lane if the row has one, and
 * its project.
 */
export function hashOf(row: Hashed): string {
  const digests = DIGESTS.map((field) => row[field]);
  const covered = [
    ...HASHED.map((field) => row[field]),
    ...(digests.some((digest) => digest !== null) ? digests : []),
    ...(row.lane === null ? [] : [row.lane]),
    ...coveredProject(row.project_id),
  ];
  return hash("sha256", JSON.stringify(covered), "hex");
}

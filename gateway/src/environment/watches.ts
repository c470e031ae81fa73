import { readFileSync } from "node:fs";

/** How many watchers of files the programs of one user may have; Linux has 128 unless told more. */
const LIMIT = "/proc/sys/fs/inotify/max_user_instances";
/** Left for Envoy's other files, and for other programs of the same user. */
const KEPT = 24;
/**
 * Envoy watches the file of a client's secret and that of a session's key, each with a watcher of its own.
 */
const FOR_EACH = 2;

/**
 * How many routes may sign users in on this machine; undefined where nothing limits them. Never less than
 * one.
 */
export function mostSignIns(file = LIMIT): number | undefined {
  let limit: number;
  try {
    limit = Number(readFileSync(file, "utf8"));
  } catch {
    return undefined; // not Linux
  }
  return Math.max(Math.floor((limit - KEPT) / FOR_EACH), 1);
}

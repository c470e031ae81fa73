import { readFileSync } from "node:fs";

/** How many file watchers (inotify) one user may have; Linux has 128 by default. */
const LIMIT = "/proc/sys/fs/inotify/max_user_instances";
/** Left for Envoy's other files, and for other programs of the same user. */
const KEPT = 24;
/** Envoy watches the files of the client's secret and of the session's key. */
const FOR_EACH = 2;

/** How many routes may sign users in on this machine, at least one; undefined for any number. */
export function mostSignIns(file = LIMIT): number | undefined {
  let limit: number;
  try {
    limit = Number(readFileSync(file, "utf8"));
  } catch {
    return undefined; // not Linux
  }
  return Math.max(Math.floor((limit - KEPT) / FOR_EACH), 1);
}

import { chownSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Gives a file that root has just made to the owner of its folder, so that the service which owns the folder
 * can use it. SQLite does the same for the files beside its database.
 */
export function giveToOwnerOfFolder(file: string): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(file));
  if (uid !== 0) chownSync(file, uid, gid);
}

import "./nodeVersion";
import { enableCompileCache, flushCompileCache } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * Keeps compiled code between runs, in Node's own cache: the engine starts its providers anew for each run,
 * and compiling took 50 ms of the native one's 250 (processor time, 2 cores, Node 24). Import it before
 * everything else. The folder is this user's own, and systemd's where it gives one: whoever can write it can
 * have this user run code, so Node's default, among the temporary files of all users, is not taken.
 * `NODE_COMPILE_CACHE` names another, `NODE_DISABLE_COMPILE_CACHE=1` turns it off, and a folder that cannot
 * be written does so, too.
 */
const folder = process.env.NODE_COMPILE_CACHE || ownFolder();
if (folder !== undefined) enableCompileCache(folder);

/** Undefined for a user without a home, as in a container that runs under any id. */
function ownFolder(): string | undefined {
  const { CACHE_DIRECTORY, XDG_CACHE_HOME } = process.env;
  try {
    return join(CACHE_DIRECTORY || XDG_CACHE_HOME || join(homedir(), ".cache"), "tunnelplane", "compiled");
  } catch {
    return undefined;
  }
}

/** Call it once all is loaded: the engine kills its providers, so they write nothing when they end. */
export const keepCompiled = (): void => flushCompileCache();

import "./nodeVersion";
import { enableCompileCache, flushCompileCache } from "node:module";
import { join } from "node:path";
import { inHome } from "./folders";

/**
 * Keeps compiled code between runs, in Node's own cache: the engine starts its providers anew for each run,
 * and compiling took 50 ms of the native one's 250 (processor time, 2 cores, Node 24). Import it before
 * everything else. The folder is this user's own, and systemd's where it gives one: whoever can write it can
 * have this user run code, so Node's default, among the temporary files of all users, is not taken.
 * `NODE_COMPILE_CACHE` names another, `NODE_DISABLE_COMPILE_CACHE=1` turns it off, and so does a folder that
 * cannot be written, or a user without a home.
 */
const { NODE_COMPILE_CACHE, CACHE_DIRECTORY, XDG_CACHE_HOME } = process.env;
const caches = CACHE_DIRECTORY || XDG_CACHE_HOME || inHome(".cache");
const folder = NODE_COMPILE_CACHE || (caches && join(caches, "tunnelplane", "compiled"));
if (folder !== undefined) enableCompileCache(folder);

/** Call it once all is loaded: the engine kills its providers, so they write nothing when they end. */
export const keepCompiled = (): void => flushCompileCache();

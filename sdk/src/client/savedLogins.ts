import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf, isObject, own } from "../contract/core/narrow";
import { inHome, makeFolder } from "../folders";

/** The key that `tunnelplane login` keeps for one server. */
export interface SavedLogin {
  readonly key: string;
  /** When the key ends (RFC 3339). */
  readonly expires_at: string;
  /** The name of the user. */
  readonly user: string;
}

/**
 * The file with the keys of `tunnelplane login`, an entry for each server's address; undefined for a user
 * without a home, where `XDG_CONFIG_HOME` names no other folder.
 */
export function loginsFile({ XDG_CONFIG_HOME, HOME }: NodeJS.ProcessEnv): string | undefined {
  const folder = XDG_CONFIG_HOME || (HOME ? join(HOME, ".config") : inHome(".config"));
  return folder && join(folder, "tunnelplane", "credentials.json");
}

/** The key that is kept for a server, if it lasts; sent to no other. Undefined where nobody is signed in. */
export function savedLogin(baseUrl: string, environment: NodeJS.ProcessEnv): SavedLogin | undefined {
  const found = own(readLogins(loginsFile(environment)), addressOf(baseUrl));
  return found && Date.parse(found.expires_at) > Date.now() ? found : undefined;
}

const CURE = "name another with XDG_CONFIG_HOME";

/** Keeps a key for a server, in a file that nobody else may read; undefined forgets it. */
export function saveLogin(
  baseUrl: string,
  login: SavedLogin | undefined,
  environment: NodeJS.ProcessEnv,
): void {
  const file = loginsFile(environment);
  if (file === undefined) {
    if (login === undefined) return;
    throw new Error(`this user has no home for the key: ${CURE}`);
  }
  const { [addressOf(baseUrl)]: _, ...others } = readLogins(file);
  const kept = login ? { ...others, [addressOf(baseUrl)]: login } : others;
  if (Object.keys(kept).length === 0) {
    rmSync(file, { force: true });
    return;
  }
  makeFolder(dirname(file), CURE);
  const written = `${file}.${process.pid}`; // complete before it has its name
  writeFileSync(written, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 });
  chmodSync(written, 0o600); // also where the process before wrote less, with other rights
  renameSync(written, file);
}

/** One address for all ways to write it. */
const addressOf = (baseUrl: string): string => {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname.replace(/\/+$/, "")}`;
};

function readLogins(file: string | undefined): Readonly<Record<string, SavedLogin>> {
  if (file === undefined) return {};
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return {};
    throw new Error(`${file} cannot be read (${codeOf(error)}): correct its rights, or delete it`);
  }
  try {
    const all: unknown = JSON.parse(text);
    if (isObject(all)) return Object.fromEntries(Object.entries(all).flatMap(([at, one]) => entry(at, one)));
  } catch {
    // said below
  }
  throw new Error(`${file} is not a JSON object any more: delete it, and sign in again`);
}

const entry = (at: string, one: unknown): [string, SavedLogin][] => {
  if (!isObject(one)) return [];
  const { key, expires_at, user } = one;
  return typeof key === "string" && typeof expires_at === "string" && typeof user === "string"
    ? [[at, { key, expires_at, user }]]
    : [];
};

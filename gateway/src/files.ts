import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Puts a file into its place as a whole, readable by its owner alone: keys and secrets are in most of them.
 */
export function writeWhole(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const passing = `${path}.new`;
  writeFileSync(passing, text, { mode: 0o600, flush: true });
  renameSync(passing, path);
}

/** Keeps a file for later starts. */
export type Keep = typeof writeWhole;

/** For a command that only looks: it reads what `run` kept, and leaves nothing behind. */
export const keepNothing: Keep = () => undefined;

/** Reads a file, or makes its content now and keeps it. */
export function keptOr(path: string, make: () => string, keep = writeWhole): string {
  if (existsSync(path)) return readFileSync(path, "utf8");
  const made = make();
  keep(path, made);
  return made;
}

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Puts a file into its place as a whole, readable by its owner alone: keys and secrets are in most of them. */
export function writeWhole(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const passing = `${path}.new`;
  writeFileSync(passing, text, { mode: 0o600, flush: true });
  renameSync(passing, path);
}

/** Reads a file, or makes its content now and keeps it. */
export function keptOr(path: string, make: () => string): string {
  if (!existsSync(path)) writeWhole(path, make());
  return readFileSync(path, "utf8");
}

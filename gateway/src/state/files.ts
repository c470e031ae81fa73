import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, open, rename } from "node:fs/promises";
import type { Server } from "node:net";
import { dirname } from "node:path";

/** Writes a file as a whole, readable only by its owner: most files of the state hold keys or secrets. */
export function writeWhole(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.new`;
  writeFileSync(temporary, text, { mode: 0o600, flush: true });
  renameSync(temporary, path);
}

/** The same for large files: bytes of agents do not wait until the disk has the file. */
export async function writeWholeLater(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.new`;
  const file = await open(temporary, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}

/** Listens at a Unix socket that only its owner can open, from its first moment on. */
export function listenPrivately(server: Server, path: string, listening?: () => void): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw new Error(`no socket can be made at ${path}: move away what is there`, { cause: error });
  }
  const former = process.umask(0o177);
  try {
    server.listen(path, listening);
  } finally {
    process.umask(former);
  }
}

/** Keeps a file for later starts. */
export type Keep = typeof writeWhole;

/** For a command that only reads the files of `run`, and writes none. */
export const keepNothing: Keep = () => undefined;

/** Reads a file, or makes its content now and keeps it. */
export function keptOr(path: string, make: () => string, keep = writeWhole): string {
  if (existsSync(path)) return readFileSync(path, "utf8");
  const made = make();
  keep(path, made);
  return made;
}

/** Reads a JSON file that the gateway itself wrote; undefined where it is missing or damaged. */
export function readKept<Value>(path: string): Value | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** Reads the entries of a map that the gateway itself wrote; empty where the file is missing or damaged. */
export function readKeptMap<Value>(path: string): Map<string, Value> {
  const entries = readKept<[string, Value][]>(path);
  return new Map(Array.isArray(entries) ? entries : []);
}

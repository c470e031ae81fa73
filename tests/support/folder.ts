import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEndOfFile } from "./endOfFile";

/** A new folder, which is removed after all tests of the file. Its path is short, as sockets need it. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tp-"));
  atEndOfFile(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

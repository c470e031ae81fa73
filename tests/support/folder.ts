import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const { afterEachFile } = require("../setup.cjs") as { afterEachFile(cleanup: () => Promise<void>): void };

const folders: string[] = [];

/** A new folder, which is removed after all tests of the file. Its path is short, as sockets need it. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tp-"));
  folders.push(folder);
  return folder;
}

afterEachFile(async () => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { newFolder } from "./folder";

/** A server that does not exist, for previews that must work without one. */
export const NOBODY = { url: "http://127.0.0.1:9", apiKey: "never-sent-anywhere" };

export class Folder {
  readonly path = newFolder();
  readonly catalogue = join(this.path, "tunnels.yaml");

  write(text: string, name = "tunnels.yaml"): string {
    const file = join(this.path, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }
}

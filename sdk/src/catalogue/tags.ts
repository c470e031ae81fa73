import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { messageOf, own } from "../contract";
import type { Tags } from "./file";

/**
 * The tags that mean the same everywhere: `!file`, with a path relative to the catalogue's folder, and
 * `!env`.
 */
export const commonTags = (file: string): Tags => ({
  "!file": (path) => {
    try {
      return readFileSync(resolve(dirname(file), path), "utf8");
    } catch (error) {
      throw new Error(`cannot be read from its file: ${messageOf(error)}`);
    }
  },
  "!env": (name) => {
    const value = own(process.env, name);
    if (value === undefined) throw new Error(`is not in the environment: set ${name}`);
    return value;
  },
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

/** The table in a file of YAML beside a test. */
export const tableOf = <T>(folder: string, file: string): T =>
  parse(readFileSync(join(folder, file), "utf8")) as T;

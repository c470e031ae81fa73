import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The release of the gateway. */
export const { version: VERSION }: { readonly version: string } = JSON.parse(
  readFileSync(join(__dirname, "../package.json"), "utf8"),
);

import { createHash } from "node:crypto";

/** A hash of 64 bits, enough to make collisions by chance very unlikely. */
export const shortHash = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 16);

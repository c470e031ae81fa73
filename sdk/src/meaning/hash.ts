import { createHash } from "node:crypto";

/** A short name for a text: 64 bits, which nobody meets twice by chance. */
export const shortHash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

import { createHash, randomBytes } from "node:crypto";

/** A new secret of 256 random bits that is told once and kept as a hash; the prefix lets scanners find leaked ones. */
export const newSecret = (prefix: "tpk" | "tpt"): string => `${prefix}_${randomBytes(32).toString("base64url")}`;

/** How a secret is kept. It has too many random bits to be guessed, so a plain hash suffices. */
export const hashSecret = (secret: string): string => createHash("sha256").update(secret).digest("base64url");

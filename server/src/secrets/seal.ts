import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const CIPHER = "aes-256-gcm";
const NONCE = 12; // bytes; NIST SP 800-38D section 8.2.2, at most 2^32 values sealed under one key
const TAG = 16;

/**
 * Seals a text with AES-256-GCM under a key of 32 bytes. It opens only at the location for which it was
 * sealed, so an attacker with write access to the database cannot move it to an object that they may read.
 */
export function seal(key: Buffer, location: string, text: string): string {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG }).setAAD(Buffer.from(location));
  return Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]).toString(
    "base64url",
  );
}

/** Opens a sealed text. Throws if it was changed, moved, or sealed under another key. */
export function open(key: Buffer, location: string, sealed: string): string {
  const bytes = Buffer.from(sealed, "base64url");
  const end = bytes.length - TAG;
  if (end < NONCE) throw new Error("is too short");
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE), { authTagLength: TAG }).setAAD(
    Buffer.from(location),
  );
  decipher.setAuthTag(bytes.subarray(end));
  return decipher.update(bytes.subarray(NONCE, end), undefined, "utf8") + decipher.final("utf8");
}

/** Derives a key for another purpose (RFC 5869). */
export const derive = (key: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", key, "", purpose, 32));

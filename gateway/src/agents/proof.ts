import { type AuthContext, utils } from "ssh2";
import type { Proof } from "./serverAuthority";

/** The agent's token or public key; undefined if its signature is wrong, or it sent neither. */
export function proofOf(context: AuthContext): Proof | undefined {
  if (context.method === "password") return { token: context.password };
  if (context.method !== "publickey") return undefined;
  const { key, signature, blob, hashAlgo } = context;
  const parsed = utils.parseKey(key.data);
  if (parsed instanceof Error) return undefined;
  if (signature && !(blob && parsed.verify(blob, signature, hashAlgo) === true)) return undefined;
  return {
    public_key: `${key.algo.replace(/^rsa-sha2-(256|512)$/, "ssh-rsa")} ${key.data.toString("base64")}`,
  };
}

import { readSshPublicKey } from "@tunnelplane/sdk/contract";
import { allows } from "./acl";
import type { BindAuthority, Proof, Verdict } from "./authority";

/** A registered key, as the API answers it. */
export interface KeyCredential {
  readonly id: string;
  readonly public_key: string;
  readonly acl: readonly string[];
}

/** While the server is down, who was allowed so long ago may come back. */
const COME_BACK_MS = 15 * 60_000;
/** Credentials are read once a second; what is older than this was not read, because the server is down. */
const FRESH_MS = 5000;
const REFUSED: Verdict = { allowed: false, credential: null, acl: [] };

/** Judges by the SSH credentials that were read last. Tokens are hashes there: only the server can compare them, once it is asked. */
export class KeysAuthority implements BindAuthority {
  #byKey = new Map<string, KeyCredential>();
  #readAt = 0;
  /** When each credential was last allowed something while the server could be asked. */
  readonly #allowedAt = new Map<string, number>();

  replace(credentials: readonly KeyCredential[]): void {
    this.#readAt = Date.now();
    this.#byKey = new Map(
      credentials.flatMap((credential) => {
        const key = readSshPublicKey(credential.public_key);
        return typeof key === "string" ? [] : [[key.blob.toString("base64"), credential] as const];
      }),
    );
    const known = new Set(credentials.map(({ id }) => id));
    for (const id of this.#allowedAt.keys()) if (!known.has(id)) this.#allowedAt.delete(id);
  }

  async ask(proof: Proof, bind: readonly string[]): Promise<Verdict> {
    if (!("publicKey" in proof)) return REFUSED;
    const credential = this.#byKey.get(proof.publicKey.split(" ")[1] ?? "");
    if (!credential || !allows(credential.acl, bind)) return REFUSED;
    const now = Date.now();
    if (now - this.#readAt <= FRESH_MS) this.#allowedAt.set(credential.id, now);
    else if (now - (this.#allowedAt.get(credential.id) ?? 0) > COME_BACK_MS) return REFUSED;
    return { allowed: true, credential: credential.id, acl: credential.acl };
  }
}

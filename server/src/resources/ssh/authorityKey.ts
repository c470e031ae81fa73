import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type JsonWebKey,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { promisify } from "node:util";
import { present } from "@tunnelplane/sdk/contract";
import { mpint, string, WireReader } from "./wire";

const generate = promisify(generateKeyPair);
// With a callback, Node signs on its thread pool. RSA takes milliseconds, which would block the event loop.
const signOnThreadPool = promisify(sign) as (
  hash: string | null,
  data: Buffer,
  key: object,
) => Promise<Buffer>;

/** The type and size of a new key pair. */
export interface KeyParameters {
  readonly private_key_type: "ed25519" | "ecdsa" | "rsa";
  readonly elliptic_curve?: "256" | "384" | "521";
  readonly key_size?: number;
}

/** How keys of one type sign. */
interface Scheme {
  /** The algorithm's name before the key's wire form. */
  readonly keyAlgorithm: string;
  readonly signatureAlgorithm: string;
  readonly hash: string | null;
  /** Length of each half of an ECDSA signature. */
  readonly half?: number;
}

/** The key pair of an SSH certificate authority. */
export class AuthorityKey {
  readonly #scheme: Scheme;
  readonly #publicKey: KeyObject;
  /** The public key's wire form (RFC 4253 section 6.6, RFC 5656 section 3.1, RFC 8709 section 4). */
  readonly blob: Buffer;

  private constructor(private readonly privateKey: KeyObject) {
    this.#publicKey = createPublicKey(privateKey);
    const jwk = this.#publicKey.export({ format: "jwk" });
    this.#scheme = schemeOf(jwk);
    this.blob = Buffer.concat([string(this.#scheme.keyAlgorithm), ...publicPartsOf(jwk)]);
  }

  /** Makes a new key pair, off the event loop. */
  static async generate({
    private_key_type,
    elliptic_curve,
    key_size,
  }: KeyParameters): Promise<AuthorityKey> {
    const made = {
      ed25519: () => generate("ed25519"),
      ecdsa: () => generate("ec", { namedCurve: `P-${elliptic_curve}` }),
      rsa: () => generate("rsa", { modulusLength: key_size as number }),
    };
    return new AuthorityKey((await made[private_key_type]()).privateKey);
  }

  static fromPem(pem: string): AuthorityKey {
    return new AuthorityKey(createPrivateKey(pem));
  }

  /** The private key, as PKCS#8. */
  toPem(): string {
    return this.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  }

  /** The public key as OpenSSH writes it. */
  get openssh(): string {
    return `${this.#scheme.keyAlgorithm} ${this.blob.toString("base64")}`;
  }

  /**
   * Signs, and returns the signature's wire form (RFC 4253 section 6.6, RFC 8332 section 3, RFC 5656 section
   * 3.1.2, RFC 8709 section 6).
   */
  async sign(data: Buffer): Promise<Buffer> {
    const { hash, half, signatureAlgorithm } = this.#scheme;
    const raw = await signOnThreadPool(hash, data, { key: this.privateKey, dsaEncoding: "ieee-p1363" });
    const blob = half ? Buffer.concat([mpint(raw.subarray(0, half)), mpint(raw.subarray(half))]) : raw;
    return Buffer.concat([string(signatureAlgorithm), string(blob)]);
  }

  /** Whether this key made a signature, given in its wire form. */
  verify(data: Buffer, signature: Buffer): boolean {
    const { hash, half, signatureAlgorithm } = this.#scheme;
    const outer = new WireReader(signature);
    if (outer.text() !== signatureAlgorithm) return false;
    const blob = outer.string();
    if (!outer.done) return false;
    const raw = half ? halvesOf(blob, half) : blob;
    return raw !== undefined && verify(hash, data, { key: this.#publicKey, dsaEncoding: "ieee-p1363" }, raw);
  }
}

const halvesOf = (blob: Buffer, half: number): Buffer | undefined => {
  const reader = new WireReader(blob);
  const numbers = [reader.mpint(), reader.mpint()];
  if (!reader.done || numbers.some((digits) => digits.length > half)) return undefined;
  return Buffer.concat(numbers.flatMap((digits) => [Buffer.alloc(half - digits.length), digits]));
};

const CURVES: Record<string, { readonly bits: string; readonly hash: string; readonly half: number }> = {
  "P-256": { bits: "256", hash: "sha256", half: 32 },
  "P-384": { bits: "384", hash: "sha384", half: 48 },
  "P-521": { bits: "521", hash: "sha512", half: 66 },
};

function schemeOf({ kty, crv = "" }: JsonWebKey): Scheme {
  // "ssh-rsa" as a signature algorithm means SHA-1, which sshd refuses; see RFC 8332.
  if (kty === "RSA") return { keyAlgorithm: "ssh-rsa", signatureAlgorithm: "rsa-sha2-512", hash: "sha512" };
  if (crv === "Ed25519")
    return { keyAlgorithm: "ssh-ed25519", signatureAlgorithm: "ssh-ed25519", hash: null };
  const curve = CURVES[crv];
  if (!curve) throw new Error(`There are no SSH certificate authorities with ${kty} keys ${crv}`);
  const name = `ecdsa-sha2-nistp${curve.bits}`;
  return { keyAlgorithm: name, signatureAlgorithm: name, hash: curve.hash, half: curve.half };
}

function publicPartsOf({ kty, crv = "", ...jwk }: JsonWebKey): Buffer[] {
  const part = (name: "n" | "e" | "x" | "y") => Buffer.from(present(jwk[name]), "base64url");
  if (kty === "RSA") return [mpint(part("e")), mpint(part("n"))];
  if (crv === "Ed25519") return [string(part("x"))];
  const point = Buffer.concat([Buffer.from([4]), part("x"), part("y")]); // SEC 1 section 2.3.3, uncompressed
  return [string(`nistp${CURVES[crv]?.bits}`), string(point)];
}

import { webcrypto } from "node:crypto";
import { own } from "@tunnelplane/sdk/contract";
import type { Connection } from "ssh2";
import { CIPHERS } from "./packets";
import { type Exchange, insideOf } from "./ssh2Inside";

const { subtle } = webcrypto;

/** The key exchanges that are offered. Classic Diffie-Hellman costs more and is no safer. */
const EXCHANGES: Readonly<Record<string, webcrypto.EcKeyGenParams>> = {
  "curve25519-sha256": { name: "X25519", namedCurve: "X25519" },
  "curve25519-sha256@libssh.org": { name: "X25519", namedCurve: "X25519" },
  "ecdh-sha2-nistp256": { name: "ECDH", namedCurve: "P-256" },
  "ecdh-sha2-nistp384": { name: "ECDH", namedCurve: "P-384" },
  "ecdh-sha2-nistp521": { name: "ECDH", namedCurve: "P-521" },
};

/** Without SHA-1, and without compression, whose lengths leak what is compressed. */
export const ALGORITHMS = {
  kex: Object.keys(EXCHANGES),
  cipher: CIPHERS,
  hmac: ["hmac-sha2-256-etm@openssh.com", "hmac-sha2-512-etm@openssh.com", "hmac-sha2-256", "hmac-sha2-512"],
  compress: ["none"],
};

/** Node has four threads for such work, which also write files. */
const AT_ONCE = 2;
/** SSH_MSG_KEX_ECDH_INIT */
const INIT = 30;

/** Computes keys in other threads, so that they delay no data of other connections. */
export class KeyExchanges {
  #working = 0;
  readonly #waiting: (() => void)[] = [];

  /** Call it before the first packet of a connection. @param fail hangs up */
  prepare(connection: Connection, fail: () => void): void {
    const inside = insideOf(connection);
    if (!inside) return void fail();
    let isGone = false;
    connection.once("close", () => {
      isGone = true;
    });
    let current: Exchange | undefined;
    Object.defineProperty(inside, "_kex", {
      get: () => current,
      set: (exchange: Exchange) => {
        current = exchange;
        this.#takeOver(exchange, () => isGone, fail);
      },
    });
  }

  /** Lets ssh2 go on with the client's first packet when the keys are there. */
  #takeOver(exchange: Exchange, isGone: () => boolean, fail: () => void): void {
    const goOn = exchange.parse.bind(exchange);
    let state: "new" | "computing" | "computed" = "new";
    exchange.parse = (payload) => {
      if (state === "computed") return goOn(payload);
      const length = payload.length >= 5 ? payload.readUInt32BE(1) : 0;
      // A client has nothing to send before it has the answer.
      if (state === "computing" || payload[0] !== INIT || payload.length !== 5 + length) return fail();
      state = "computing";
      const init = Buffer.from(payload); // ssh2 uses its buffers again.
      this.#inTurn(async () => (isGone() ? undefined : agree(exchange.negotiated.kex, init.subarray(5))))
        .then((agreed) => {
          if (!agreed || isGone()) return;
          state = "computed";
          exchange.getPublicKey = () => agreed.own;
          exchange.computeSecret = () => agreed.secret;
          goOn(init);
        })
        .catch(fail);
      return undefined;
    };
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#working >= AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#working++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#working--;
    }
  }
}

/** @throws if the client's key does not belong to the curve, or is weak */
async function agree(
  name: string,
  clients: Buffer,
): Promise<{ readonly own: Buffer; readonly secret: Buffer }> {
  const algorithm = own(EXCHANGES, name);
  if (!algorithm) throw new Error(`${name} was not offered`);
  // The types know no curve whose keys are not a pair.
  const pair = (await subtle.generateKey(algorithm, false, ["deriveBits"])) as webcrypto.CryptoKeyPair;
  const publicKey = await subtle.importKey("raw", clients, algorithm, false, []);
  const [ours, secret] = await Promise.all([
    subtle.exportKey("raw", pair.publicKey),
    // Null asks for all bits, and X25519 takes the same parameters as ECDH; the types know neither.
    subtle.deriveBits(
      { name: algorithm.name, public: publicKey } as webcrypto.EcdhKeyDeriveParams,
      pair.privateKey,
      null as unknown as number,
    ),
  ]);
  return { own: Buffer.from(ours), secret: mpint(Buffer.from(secret)) };
}

/** A number as RFC 4251 writes it: without leading zeros, except for one if it would look negative. */
function mpint(number: Buffer): Buffer {
  const first = number.findIndex((byte) => byte !== 0);
  const bare = number.subarray(first < 0 ? number.length : first);
  return bare[0] !== undefined && bare[0] >= 0x80 ? Buffer.concat([Buffer.of(0), bare]) : bare;
}

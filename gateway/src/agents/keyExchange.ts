import { webcrypto } from "node:crypto";
import { own } from "@tunnelplane/sdk/contract";
import type { Connection } from "ssh2";
import { type Exchange, type Inside, insideOf, offerCiphers } from "./ssh2Inside";

const { subtle } = webcrypto;

/** The key exchanges that are offered. Classic Diffie-Hellman costs more and is no safer. */
const EXCHANGES: Readonly<Record<string, webcrypto.EcKeyGenParams>> = {
  "curve25519-sha256": { name: "X25519", namedCurve: "X25519" },
  "curve25519-sha256@libssh.org": { name: "X25519", namedCurve: "X25519" },
  "ecdh-sha2-nistp256": { name: "ECDH", namedCurve: "P-256" },
  "ecdh-sha2-nistp384": { name: "ECDH", namedCurve: "P-384" },
  "ecdh-sha2-nistp521": { name: "ECDH", namedCurve: "P-521" },
};

/** The fastest ciphers, here and in the stock client. */
const GCM = ["aes128-gcm@openssh.com", "aes256-gcm@openssh.com"];

/** Without SHA-1, and without compression, whose lengths leak what is compressed. */
export const ALGORITHMS = {
  kex: Object.keys(EXCHANGES),
  // ssh2 computes ChaCha20, which the stock client would choose, in JavaScript: four times the work.
  cipher: [...GCM, "aes128-ctr", "aes192-ctr", "aes256-ctr"],
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
    let isBehind = false;
    const open = inside.forwardedTcpip.bind(inside);
    inside.forwardedTcpip = (...channel) => {
      open(...channel);
      if (!isBehind) return;
      isBehind = false;
      offerCiphers(inside, GCM);
      connection.rekey(() => undefined);
    };
    let current: Exchange | undefined;
    Object.defineProperty(inside, "_kex", {
      get: () => current,
      set: (exchange: Exchange) => {
        current = exchange;
        isBehind = hasBetter(exchange);
        if (guessedRight(exchange, inside)) inside._skipNextInboundPacket = false;
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

/**
 * Whether a client has a better cipher than the one that was agreed: its order counts, and OpenSSH before
 * 10.0 has AES-CTR first. Others keep theirs: Paramiko takes the end of an exchange for a refused bind.
 */
function hasBetter({ negotiated, _remoteIdentRaw, _remoteKexinit }: Exchange): boolean {
  if (GCM.includes(negotiated.cs.cipher) || !_remoteIdentRaw.includes("-OpenSSH_")) return false;
  const [, , to = [], from = []] = listsOf(_remoteKexinit);
  return GCM.some((name) => to.includes(name) && from.includes(name));
}

/**
 * Whether a client that sent its first packet along with its offer guessed right (RFC 4253 section 7.1), as
 * Dropbear does. ssh2 skips that packet always, and the client waits for ever.
 */
function guessedRight({ _remoteKexinit }: Exchange, { _offer: { lists } }: Inside): boolean {
  const [exchanges = [], keys = []] = listsOf(_remoteKexinit);
  return exchanges[0] === lists.kex.array[0] && keys[0] === lists.serverHostKey.array[0];
}

/** The lists of an offer, which ssh2 has read: key exchanges, host keys, and ciphers to us and from us. */
function listsOf(offer: Buffer): string[][] {
  const lists: string[][] = [];
  for (let at = 17; lists.length < 4; ) {
    const end = at + 4 + offer.readUInt32BE(at);
    lists.push(offer.toString("latin1", at + 4, end).split(","));
    at = end;
  }
  return lists;
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

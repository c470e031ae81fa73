import type { Connection, ParsedKey, ServerChannel } from "ssh2";

/** The key exchange in progress on a connection, or was the last. */
export interface Exchange {
  readonly negotiated: { kex: string; serverHostKey: string; cs: { cipher: string } };
  /** The greeting of the client, and what it offers. */
  readonly _remoteIdentRaw: Buffer;
  readonly _remoteKexinit: Buffer;
  /** The part that computes; called with each packet of the client. */
  parse(payload: Buffer): unknown;
  getPublicKey(): Buffer;
  /** The shared secret in the form of the protocol (mpint). */
  computeSecret(): Buffer;
}

type List = { readonly array: readonly string[]; readonly buffer: Buffer };
type Way = Readonly<Record<"cipher" | "mac" | "compress" | "lang", List>>;

/** The names of algorithms that we offer. */
interface Offer {
  readonly lists: { readonly kex: List; readonly serverHostKey: List; readonly cs: Way; readonly sc: Way };
}

/** Private parts of ssh2 1.17 that it has no public way to. Code that misses one refuses the connection. */
export interface Inside {
  _hostKeys: Record<string, ParsedKey>;
  _kex: Exchange | undefined;
  /** What we offered for the key exchange in progress; undefined while there is none. */
  readonly _kexinit: Buffer | undefined;
  _offer: Offer;
  /** Whether the client guessed wrong, and what it sent with its offer does not count. */
  _skipNextInboundPacket: boolean;
  /** What is done with each kind of message. */
  readonly _handlers: Record<string, ((...args: unknown[]) => unknown) | undefined>;
  readonly _packetRW: {
    readonly write: {
      readonly allocStartKEX: number;
      alloc(size: number, force: true): Buffer;
      finalize(packet: Buffer, force: true): Buffer;
    };
  };
  readonly _cipher: { encrypt(packet: Buffer): void };
  /** Packets that are sent when the key exchange in progress has ended. */
  _queue: Buffer[] | undefined;
  /** Opens a channel for a bind of the agent. */
  forwardedTcpip(...channel: unknown[]): void;
  channelOpenFail(channel: number, reason: number, text: string): void;
}

/** Undefined where a part is missing. */
export function insideOf(connection: Connection): Inside | undefined {
  // These parts are private to ssh2, so the code checks that each is there.
  const { _protocol: inside } = connection as unknown as { readonly _protocol?: Inside };
  const isWhole =
    inside?._hostKeys &&
    inside._offer?.lists &&
    inside._packetRW?.write &&
    inside._cipher &&
    inside._handlers &&
    "channelOpenFail" in inside &&
    "forwardedTcpip" in inside;
  return isWhole && "_kex" in inside && "_kexinit" in inside ? inside : undefined;
}

/** Private parts of a channel of ssh2 1.17. */
interface ChannelInside {
  /** How many bytes the agent may still send. */
  readonly incoming: { readonly window: number };
  /** Of what waits for the caller. */
  readonly _readableState: { highWaterMark: number };
  /** The size of packets that the agent takes, in bytes. */
  readonly outgoing: { readonly packetSize: number };
}

export const channelInside = (channel: ServerChannel): ChannelInside => channel as unknown as ChannelInside; // private to ssh2

/** Offers these ciphers only from the next key exchange on. */
export function offerCiphers(inside: Inside, ciphers: readonly string[]): void {
  const { kex, serverHostKey, cs } = inside._offer.lists;
  const { mac, compress, lang } = cs;
  const way = { cipher: ciphers, mac: mac.buffer, compress: compress.buffer, lang: lang.buffer };
  const offer = { kex: kex.buffer, serverHostKey: serverHostKey.buffer, cs: way, sc: way };
  inside._offer = new (inside._offer.constructor as new (names: typeof offer) => Offer)(offer);
}

/** Sends a packet: in a key exchange, after that. The client may have the new keys before ssh2 has. */
export function send(inside: Inside, payload: Buffer): void {
  const {
    _packetRW: { write },
    _cipher: cipher,
  } = inside;
  if (inside._kexinit !== undefined) {
    inside._queue ??= [];
    inside._queue.push(payload);
    return;
  }
  try {
    const packet = write.alloc(payload.length, true);
    packet.set(payload, write.allocStartKEX);
    cipher.encrypt(write.finalize(packet, true));
  } catch {
    // The connection broke.
  }
}

const PROHIBITED = 1;

/** Refuses a channel with words that the stock client shows; ssh2 sends none. @param reject ssh2's own way */
export function refuseChannel(connection: Connection, reject: () => void, text: string): void {
  const inside = insideOf(connection);
  if (!inside) return void reject();
  const send = inside.channelOpenFail.bind(inside);
  inside.channelOpenFail = (channel) => send(channel, PROHIBITED, ascii(text));
  reject();
  inside.channelOpenFail = send;
}

const BY_APPLICATION = 11;
const LONGEST = 1024;

/** SSH_MSG_DISCONNECT, with words that the stock client shows. */
export const disconnectMessage = (text: string): Buffer =>
  Buffer.concat([Buffer.of(1), number(BY_APPLICATION), string(text), string("")]);

/** SSH_MSG_USERAUTH_BANNER: the stock client shows it while it logs in. */
export const bannerMessage = (text: string): Buffer =>
  Buffer.concat([Buffer.of(53), string(`${text}\n`), string("")]);

/** SSH_MSG_DEBUG with the flag "always display"; the stock client shows it with -v. */
export const debugMessage = (text: string): Buffer =>
  Buffer.concat([Buffer.of(4, 1), string(text), string("")]);

function number(value: number): Buffer {
  const four = Buffer.alloc(4);
  four.writeUInt32BE(value);
  return four;
}

function string(text: string): Buffer {
  const bytes = Buffer.from(ascii(text)).subarray(0, LONGEST);
  return Buffer.concat([number(bytes.length), bytes]);
}

/** The stock client shows each byte of other characters as a number. */
const ascii = (text: string): string => text.replaceAll("…", "...").replace(/[^\x20-\x7e\n]/g, "?");

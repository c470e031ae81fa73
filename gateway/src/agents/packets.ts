import { createSecretKey } from "node:crypto";
import type { Socket } from "node:net";
import type { Connection } from "ssh2";
import { free, freeWritten, MIN_FREED } from "./free";
import { insideOf } from "./ssh2Inside";

/** Sends what is written in one turn at once: ssh2 writes each packet in three parts. */
export function gatherWrites(socket: Socket): void {
  freeWritten(socket);
  const write = socket.write;
  let isGathering = false;
  socket.write = function (this: Socket, ...args: unknown[]) {
    if (!isGathering) {
      isGathering = true;
      socket.cork();
      process.nextTick(() => {
        isGathering = false;
        socket.uncork();
      });
    }
    return write.apply(socket, args as Parameters<typeof write>);
  } as typeof socket.write;
}

/** Prepares the keys of a connection once, and not for each packet: that takes longer than small packets. */
export function prepareKeys(connection: Connection): void {
  const inside = insideOf(connection);
  if (!inside) return;
  for (const part of ["_cipher", "_decipher"]) {
    let current: unknown = Reflect.get(inside, part);
    Object.defineProperty(inside, part, {
      get: () => current,
      set: (next: object) => {
        for (const name of ["_encKey", "_decipherKey", "_macKey"]) {
          const key: unknown = Reflect.get(next, name);
          if (Buffer.isBuffer(key)) Reflect.set(next, name, createSecretKey(key));
        }
        if ("encrypt" in next) freePackets(next as Cipher);
        if ("_decipherSSLName" in next) gatherPackets(next as unknown as Decipher);
        current = next;
      },
    });
  }
}

interface Cipher {
  _onWrite(part: Buffer): void;
  encrypt(packet: Buffer): void;
}

/** Frees each packet when it is encrypted. Its length, which is not, is copied. */
function freePackets(cipher: Cipher): void {
  const { encrypt, _onWrite: write } = cipher;
  const parts: Buffer[] = [];
  cipher._onWrite = (part) => void parts.push(part);
  cipher.encrypt = (packet) => {
    encrypt.call(cipher, packet);
    const [first, ...others] = parts.splice(0);
    if (!first) return; // The connection broke.
    const length = first.buffer === packet.buffer ? Buffer.from(first) : first;
    if (packet.length < MIN_FREED) return write(Buffer.concat([length, ...others]));
    for (const part of [length, ...others]) write(part);
    free(packet);
  };
}

interface Decipher {
  /** @returns where to go on, if not at the end */
  decrypt(data: Buffer, start: number, end: number): number | undefined;
}

const LENGTH = 4;
const TAG = 16;
/** As ssh2 has it, which refuses longer ones. */
const MAX_PACKET = 35_000;

/** Has packets opened when they are whole: ssh2 opens the pieces in which they come, and copies these. */
function gatherPackets(decipher: Decipher): void {
  const open = decipher.decrypt.bind(decipher);
  let staged: Buffer | undefined;
  let have = 0;
  decipher.decrypt = (data, start, end) => {
    for (let at = start; at < end; ) {
      if (!staged) {
        const size = sizeAt(data, at, end);
        if (size > MAX_PACKET) return open(data, at, end);
        if (size > LENGTH && at + size <= end) {
          const next = open(data, at, at + size);
          if (next !== undefined) return next;
          at += size;
          continue;
        }
        staged = Buffer.allocUnsafe(size);
        have = 0;
      }
      const copied = data.copy(staged, have, at, end);
      have += copied;
      at += copied;
      if (have < staged.length) return undefined;
      const whole = staged;
      if (have === LENGTH) {
        staged = Buffer.concat([whole], Math.min(sizeAt(whole, 0, LENGTH), MAX_PACKET));
        continue;
      }
      staged = undefined;
      const next = open(whole, 0, have);
      free(whole);
      if (next !== undefined) return next === have ? at : next;
    }
    return undefined;
  };
}

/** How long the packet is that begins here, as far as that is known. */
const sizeAt = (data: Buffer, at: number, end: number): number =>
  end - at < LENGTH ? LENGTH : LENGTH + data.readUInt32BE(at) + TAG;

import { createSecretKey } from "node:crypto";
import type { Socket } from "node:net";
import type { Connection } from "ssh2";
import { insideOf } from "./ssh2Inside";

/**
 * What costs least for each packet where ssh2 has no compiled parts: AES-GCM. The stock client would choose
 * ChaCha20 if it were there, which takes four times as long.
 */
export const CIPHERS = [
  "aes128-gcm@openssh.com",
  "aes256-gcm@openssh.com",
  "aes128-ctr",
  "aes192-ctr",
  "aes256-ctr",
];

/** Sends what is written in one turn at once: ssh2 writes each packet in three parts. */
export function gatherWrites(socket: Socket): void {
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
        current = next;
      },
    });
  }
}

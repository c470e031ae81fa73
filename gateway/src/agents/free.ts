import type { Socket } from "node:net";

/** In bytes. Smaller ones cost less where they are left to V8. */
export const MIN_FREED = 4096;

/**
 * Gives the memory of bytes back that nobody uses any more. V8 would look through its whole heap for it after
 * each 64 MiB, which takes longer than to carry them.
 */
export function free({ buffer, length }: Buffer): void {
  // A small buffer may be a piece of a larger one, which others still use.
  if (length >= MIN_FREED && 2 * length > buffer.byteLength)
    (buffer as ArrayBuffer & { transfer(length: number): ArrayBuffer }).transfer(0);
}

/** Frees what is written to a socket when it has gone out. */
export function freeWritten(socket: Socket): void {
  const write = socket.write.bind(socket) as (
    bytes: Buffer,
    done?: (error?: Error | null) => void,
  ) => boolean;
  socket.write = ((bytes: Buffer) =>
    bytes.length < MIN_FREED
      ? write(bytes)
      : write(bytes, (error) => void (error || free(bytes)))) as typeof socket.write;
}

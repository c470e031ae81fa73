import { randomFillSync } from "node:crypto";

// Fetched many at once: each call of the system's generator costs as much as an id or a secret made from its
// bytes.
const pool = Buffer.alloc(4096);
let taken = pool.length;

/** Random bytes from the system's generator, at most 4096. Nothing else keeps a copy of them. */
export function takeRandom(count: number): Buffer {
  if (taken + count > pool.length) {
    randomFillSync(pool);
    taken = 0;
  }
  const bytes = Buffer.from(pool.subarray(taken, taken + count));
  pool.fill(0, taken, taken + count);
  taken += count;
  return bytes;
}

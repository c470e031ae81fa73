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

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const LENGTH = 27; // 160 bits in base 62
const DIGITS = 8;
const LIMIT_OF_DIGITS = 62n ** BigInt(DIGITS);
const RANDOM_BITS = 112n;
const RANDOM_BYTES = 14;

let lastTime = 0;
let last = "";

/**
 * A new id, `<prefix>_` and 27 characters: 48 bits of milliseconds and 112 random bits in base 62, so that
 * ids sort by time. Within one millisecond, a process counts up from a random start, so that its ids also
 * sort by order of creation.
 */
export function newId(prefix: string, now = Date.now()): string {
  if (now > lastTime) {
    lastTime = now;
    const random = randomNumber() >> 1n; // the free top bit leaves room to count
    last = inBase62((BigInt(now) << RANDOM_BITS) | random);
  } else {
    last = successor(last);
  }
  return `${prefix}_${last}`;
}

function inBase62(value: bigint): string {
  let rest = value;
  let text = "";
  // Eight digits at a time fit into a number, which divides faster than a bigint.
  for (let index = 0; index < LENGTH; index += DIGITS) {
    let part = Number(rest % LIMIT_OF_DIGITS);
    rest /= LIMIT_OF_DIGITS;
    for (let digit = 0; digit < DIGITS; digit++) {
      text = ALPHABET[part % 62] + text;
      part = Math.floor(part / 62);
    }
  }
  return text.slice(-LENGTH);
}

/** The next number in base 62. */
function successor(text: string): string {
  const [rest, digit] = [text.slice(0, -1), ALPHABET.indexOf(text.slice(-1)) + 1];
  return digit < ALPHABET.length ? rest + ALPHABET[digit] : successor(rest) + ALPHABET[0];
}

function randomNumber(): bigint {
  const bytes = takeRandom(RANDOM_BYTES);
  return (bytes.readBigUInt64BE(0) << 48n) | BigInt(bytes.readUIntBE(8, 6));
}

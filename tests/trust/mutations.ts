/** Pseudo-random numbers that are the same in every run (mulberry32). */
export class Dice {
  constructor(private state: number) {}

  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return Math.floor((((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }
}

/** Values that are known to break parsers, storage and programs. */
const TOKENS = [
  ...[
    ...["\0", "\\u0000", "\\ud800", "\ud83d\ude80", "\u202e", "\xff", "\x80", "\ufeff", "\r\n", "\r"],
    ...["\n", "\t"],
  ],
  ..."%00 % %zz %2f %c0%af .. // /../ ? # & ; = * -1 1e309 0 -0 0.5 18446744073709551616 NaN".split(" "),
  ...'null true "" [] {} [ { } " \\ , <script> {{x}}'.split(" "),
  ...[
    '"__proto__":{"x":1},',
    '"constructor":{"prototype":{}},',
    '"description":"twice",',
    "' or 1=1 --",
    "$" + "{x}",
  ],
  ...["9".repeat(400), "[".repeat(5_000), "a".repeat(300), "a".repeat(20_000), "x-more: 1\r\n".repeat(30)],
  ..."GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT QUERY M-SEARCH HTTP/1.0 HTTP/2.0".split(" "),
  ...[
    "Transfer-Encoding: chunked|Expect: 100-continue|Expect: more|Content-Encoding: gzip|Connection: close",
    'If-Match: "1"|If-Match: *|Content-Length: 5|Host: |Host: a',
  ].flatMap((headers) => headers.split("|").map((header) => `${header}\r\n`)),
  "Connection: upgrade\r\nUpgrade: websocket\r\n",
];

type Mutation = (bytes: Buffer, at: number, dice: Dice, others: readonly Buffer[]) => Buffer;

const replace = (bytes: Buffer, start: number, end: number, ...by: Buffer[]): Buffer =>
  Buffer.concat([bytes.subarray(0, start), ...by, bytes.subarray(end)]);

const some = (dice: Dice): number => 1 + dice.below(dice.pick([1, 8, 64]));

const MUTATIONS: readonly Mutation[] = [
  // one bit, one byte
  (bytes, at, dice) => replace(bytes, at, at + 1, Buffer.from([(bytes[at] ?? 0) ^ (1 << dice.below(8))])),
  (bytes, at, dice) => replace(bytes, at, at + 1, Buffer.from([dice.below(256)])),
  // some bytes dropped, repeated, or copied from another place or request
  (bytes, at, dice) => replace(bytes, at, at + some(dice)),
  (bytes, at, dice) => replace(bytes, at, at, bytes.subarray(at, at + some(dice))),
  (bytes, at, dice) => replace(bytes, at, at + dice.below(2), piece(bytes, dice)),
  (bytes, at, dice, others) => replace(bytes, at, at + dice.below(2), piece(dice.pick(others), dice)),
  // a troublesome word, next to a word or in its place
  (bytes, at, dice) => replace(bytes, at, at, Buffer.from(dice.pick(TOKENS))),
  (bytes, at, dice) => replace(bytes, at, at + some(dice), Buffer.from(dice.pick(TOKENS))),
  (bytes, at, dice) => replace(bytes, ...wordAt(bytes, at), Buffer.from(dice.pick(TOKENS))),
  // the end is missing
  (bytes, at) => bytes.subarray(0, at),
];

function piece(bytes: Buffer, dice: Dice): Buffer {
  const start = dice.below(bytes.length);
  return bytes.subarray(start, start + some(dice));
}

function wordAt(bytes: Buffer, at: number): [number, number] {
  const text = bytes.toString("latin1");
  const start = text.slice(0, at).search(/\w*$/);
  return [start, at + text.slice(at).search(/\W|$/)];
}

/** Changes a few bytes of a request; usually mends its length, so that the server reads the rest. */
export function mutated(requests: readonly Buffer[], dice: Dice): Buffer {
  let bytes = dice.pick(requests);
  const part = dice.pick([firstLine, firstLine, head, body, body, body, body]);
  for (let count = dice.pick([1, 1, 1, 2, 3]); count > 0 && bytes.length > 0; count--) {
    const [start, end] = part(bytes);
    bytes = dice.pick(MUTATIONS)(bytes, start + dice.below(end - start), dice, requests);
  }
  return dice.below(8) === 0 ? bytes : withItsLength(bytes);
}

type Part = (bytes: Buffer) => [number, number];
/** Method and path. The HTTP version after them stays, because without it the server sees no request. */
const firstLine: Part = (bytes) => [0, bytes.indexOf(" HTTP/") + 1 || bytes.length];
const head: Part = (bytes) => [0, bytes.indexOf("\r\n\r\n") + 1 || bytes.length];
const body: Part = (bytes) => {
  const start = bytes.indexOf("\r\n\r\n") + 4;
  return start > 4 && start < bytes.length ? [start, bytes.length] : firstLine(bytes);
};

/** Sets the Content-Length of a request to the length of its body. */
export function withItsLength(bytes: Buffer): Buffer {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return bytes;
  const head = bytes.subarray(0, end).toString("latin1");
  const length = `Content-Length: ${bytes.length - end - 4}`;
  return Buffer.concat([
    Buffer.from(head.replace(/^content-length:.*$/im, length), "latin1"),
    bytes.subarray(end),
  ]);
}

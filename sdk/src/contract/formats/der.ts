/**
 * A value in the Distinguished Encoding Rules (ITU-T X.690): its tag, its content, and the offset of its end.
 */
export interface DerValue {
  readonly tag: number;
  readonly content: Buffer;
  readonly end: number;
}

/** Several times the depth of any real certificate. */
const MAX_DEPTH = 32;
const CONSTRUCTED = 0x20;
const LONG_TAG = 0x1f;

/** Reads the value at an offset. Throws if it is cut off or not in DER. */
export function readDer(bytes: Buffer, offset = 0): DerValue {
  const tag = byteAt(bytes, offset);
  if ((tag & LONG_TAG) === LONG_TAG) throw new Error("a tag that certificates do not use");
  const first = byteAt(bytes, offset + 1);
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (first === 0x80 || lengthBytes > 3) throw new Error("an indefinite or too large length");
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(offset + 2, lengthBytes);
  if (lengthBytes > 0 && (length < 0x80 || byteAt(bytes, offset + 2) === 0))
    throw new Error("a length with superfluous bytes");
  const start = offset + 2 + lengthBytes;
  if (start + length > bytes.length) throw new Error("cut off");
  return { tag, content: bytes.subarray(start, start + length), end: start + length };
}

/** Reads a sequence of values. */
export function readAllDer(bytes: Buffer): DerValue[] {
  const values: DerValue[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const value = readDer(bytes, offset);
    values.push(value);
    offset = value.end;
  }
  return values;
}

/** Throws unless the bytes are exactly one value, and everything inside it can be read too. */
export function requireDer(bytes: Buffer): void {
  const value = readDer(bytes);
  if (value.end !== bytes.length) throw new Error("bytes follow the value");
  requireWithin(value, 0);
}

function requireWithin({ tag, content }: DerValue, depth: number): void {
  if (depth > MAX_DEPTH) throw new Error("nested too deeply");
  if (tag & CONSTRUCTED) for (const value of readAllDer(content)) requireWithin(value, depth + 1);
}

function byteAt(bytes: Buffer, offset: number): number {
  const byte = bytes[offset];
  if (byte === undefined) throw new Error("cut off");
  return byte;
}

/** One value of the Distinguished Encoding Rules (ITU-T X.690): what it is, what it holds, and where it ends. */
export interface DerValue {
  readonly tag: number;
  readonly content: Buffer;
  readonly end: number;
}

/** As deep as any certificate goes, several times over. */
const DEEPEST = 32;
const CONSTRUCTED = 0x20;
const LONG_TAG = 0x1f;

/** Reads the value that begins at an offset. Throws where it is cut off, or written in another way than DER has it. */
export function readDer(bytes: Buffer, offset = 0): DerValue {
  const tag = byteAt(bytes, offset);
  if ((tag & LONG_TAG) === LONG_TAG) throw new Error("a tag that no certificate has");
  const first = byteAt(bytes, offset + 1);
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (first === 0x80 || lengthBytes > 3) throw new Error("a length that is open or too large");
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(offset + 2, lengthBytes);
  if (lengthBytes > 0 && (length < 0x80 || byteAt(bytes, offset + 2) === 0)) throw new Error("a length that could be shorter");
  const start = offset + 2 + lengthBytes;
  if (start + length > bytes.length) throw new Error("cut off");
  return { tag, content: bytes.subarray(start, start + length), end: start + length };
}

/** The values that stand one after the other. */
export function readAllDer(bytes: Buffer): DerValue[] {
  const values: DerValue[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const value = readDer(bytes, offset);
    values.push(value);
    offset = value.end;
  }
  return values;
}

/** Throws unless the bytes are exactly one value, and all within it can be read too. */
export function requireDer(bytes: Buffer): void {
  const value = readDer(bytes);
  if (value.end !== bytes.length) throw new Error("something follows the value");
  requireWithin(value, 0);
}

function requireWithin({ tag, content }: DerValue, depth: number): void {
  if (depth > DEEPEST) throw new Error("nested too deeply");
  if (tag & CONSTRUCTED) for (const value of readAllDer(content)) requireWithin(value, depth + 1);
}

function byteAt(bytes: Buffer, offset: number): number {
  const byte = bytes[offset];
  if (byte === undefined) throw new Error("cut off");
  return byte;
}

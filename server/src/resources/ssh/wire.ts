import { present } from "@tunnelplane/sdk/contract";
/** The data types of RFC 4251 section 5 that keys and certificates use. */

export const string = (value: string | Buffer): Buffer => {
  const bytes = Buffer.from(value as string);
  return Buffer.concat([uint32(bytes.length), bytes]);
};

export const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

export const uint64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
};

/**
 * A non-negative number from its big-endian bytes: without leading zeros, except one if the top bit would
 * mean a sign.
 */
export const mpint = (digits: Buffer): Buffer => {
  const start = digits.findIndex((byte) => byte !== 0);
  if (start < 0) return string("");
  const bare = digits.subarray(start);
  return string(present(bare[0]) & 0x80 ? Buffer.concat([Buffer.alloc(1), bare]) : bare);
};

/** Reads values one after the other. Throws if the data ends too early. */
export class WireReader {
  #offset = 0;

  constructor(private readonly bytes: Buffer) {}

  get offset(): number {
    return this.#offset;
  }

  get done(): boolean {
    return this.#offset === this.bytes.length;
  }

  string = (): Buffer => this.#take(this.uint32());
  text = (): string => this.string().toString("utf8");
  uint32 = (): number => this.#take(4).readUInt32BE();
  uint64 = (): bigint => this.#take(8).readBigUInt64BE();

  /** The bytes of a non-negative number. */
  mpint = (): Buffer => {
    const digits = this.string();
    return digits[0] === 0 ? digits.subarray(1) : digits;
  };

  #take(length: number): Buffer {
    if (this.#offset + length > this.bytes.length) throw new Error("The SSH data end too early");
    this.#offset += length;
    return this.bytes.subarray(this.#offset - length, this.#offset);
  }
}

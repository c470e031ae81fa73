import { createCipheriv, createDecipheriv, type KeyObject } from "node:crypto";

const CIPHER = "aes-256-ecb"; // one block each
const BLOCK = 16;

/**
 * Ids of audit rows that say nothing of the rows between them: a row's number, encrypted. The same row always
 * has the same id.
 */
export class RowIds {
  /** @param key of 256 bits */
  constructor(private readonly key: KeyObject) {}

  of(sequence: number): string {
    const block = Buffer.alloc(BLOCK);
    block.writeBigUInt64BE(BigInt(sequence), BLOCK / 2);
    return createCipheriv(CIPHER, this.key, null).setAutoPadding(false).update(block).toString("base64url");
  }

  /** The number of the row; undefined if no server made this id. */
  numberIn(id: string): number | undefined {
    const sent = Buffer.from(id, "base64url");
    if (sent.length !== BLOCK) return undefined;
    const block = createDecipheriv(CIPHER, this.key, null).setAutoPadding(false).update(sent);
    const number = block.readBigUInt64BE(BLOCK / 2);
    return block.readBigUInt64BE(0) === 0n && number <= Number.MAX_SAFE_INTEGER ? Number(number) : undefined;
  }
}

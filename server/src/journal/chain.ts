import type { AuditEventRow } from "../storage";
import type { Anchor } from "./head";
import { hashOf } from "./rows";

/** An audit row without its position in the log. */
export type Unplaced = Omit<AuditEventRow, "sequence" | "previous_hash" | "hash">;

/** Gives rows their positions behind the end of the log. */
export class Chain {
  #end: Anchor;

  /** @param end the head of the log, which the transaction has locked */
  constructor({ sequence, hash }: Anchor) {
    this.#end = { sequence, hash };
  }

  get end(): Anchor {
    return this.#end;
  }

  add(row: Unplaced): AuditEventRow {
    const placed = { ...row, sequence: this.#end.sequence + 1, previous_hash: this.#end.hash };
    this.#end = { sequence: placed.sequence, hash: hashOf(placed) };
    return { ...placed, hash: this.#end.hash };
  }
}

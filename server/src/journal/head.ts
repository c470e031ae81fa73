import type { Kysely } from "kysely";
import { type Database, statement } from "../storage";

/**
 * A position in the audit log: a row's number and hash. If it is noted elsewhere, it proves later that the
 * log up to there is unchanged.
 */
export interface Anchor {
  readonly sequence: number;
  readonly hash: string;
}

const findHead = statement<object, Anchor>((db) => db.selectFrom("audit_head").select(["sequence", "hash"]));

/** The head of the audit log; undefined before the first start. */
export async function headOf(db: Kysely<Database>): Promise<Anchor | undefined> {
  const [head] = await findHead(db, {});
  return head && { sequence: Number(head.sequence), hash: head.hash };
}

/** The text that the head's signature covers. */
export const headText = (sequence: number, hash: string): string => `${sequence}:${hash}`;

/** Prints a position in the audit log, for people and logs. */
export const anchorText = ({ sequence, hash }: Anchor): string => `${sequence}:${hash}`;

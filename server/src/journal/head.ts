import type { Kysely } from "kysely";
import { type Database, statement } from "../storage";

/** A place in the audit log: a row's number and its hash. Noted elsewhere, it shows later whether the log up to there is the same. */
export interface Anchor {
  readonly sequence: number;
  readonly hash: string;
}

const findHead = statement<object, Anchor>((db) => db.selectFrom("audit_head").select(["sequence", "hash"]));

/** The end of the audit log; undefined where there is none. */
export async function headOf(db: Kysely<Database>): Promise<Anchor | undefined> {
  const [head] = await findHead(db, {});
  return head && { sequence: Number(head.sequence), hash: head.hash };
}

/** What the code at the end of the log covers. */
export const headText = (sequence: number, hash: string): string => `${sequence}:${hash}`;

/** How people and logs write a place in the audit log. */
export const anchorText = ({ sequence, hash }: Anchor): string => `${sequence}:${hash}`;

import type { Kysely } from "kysely";
import type { Database } from "./schema";

const hasty = new WeakSet<Kysely<Database>>();

export const noteHaste = (transaction: Kysely<Database>): void => void hasty.add(transaction);

/**
 * Whether the transaction is hasty: if a constraint of the database refuses it, its work runs again without
 * haste. So checks that a constraint makes too may be left to it.
 */
export const isHasty = (transaction: Kysely<Database>): boolean => hasty.has(transaction);

import type { Kysely } from "kysely";
import type { Database, Transaction } from "../storage";

/** Let's Encrypt takes 300 new orders of an account in three hours. */
const WINDOW_MS = 3 * 60 * 60_000;
const MAX_ORDERS = 290;
/** How many orders may be placed together; each turn comes back after a while. */
const TOGETHER = 20;
const BACK_AFTER_MS = WINDOW_MS / (MAX_ORDERS - TOGETHER);

/**
 * How many orders may be placed now.
 * @param placed when the orders of the last three hours were placed, in milliseconds since 1970, oldest first
 */
export function turnsLeft(placed: readonly number[], now: number): number {
  let left = TOGETHER;
  let last = now;
  for (const at of placed.filter((one) => one > now - WINDOW_MS)) {
    left = Math.min(TOGETHER, left + Math.max(0, at - last) / BACK_AFTER_MS) - 1;
    last = at;
  }
  return Math.max(0, Math.floor(Math.min(TOGETHER, left + (now - last) / BACK_AFTER_MS)));
}

/** Whether there is a turn for an order now. */
export async function isTurn(db: Kysely<Database>): Promise<boolean> {
  const placed = await db.selectFrom("acme_placed").select("placed_at").orderBy("placed_at").execute();
  const times = placed.map((row) => Number(row.placed_at));
  return turnsLeft(times, Date.now()) > 0;
}

/** Takes a turn for an order; false where there is none now. Stored, so that a new start forgets none. */
export async function claimTurn(transaction: Transaction): Promise<boolean> {
  if (!(await isTurn(transaction))) return false;
  const now = Date.now();
  await transaction
    .deleteFrom("acme_placed")
    .where("placed_at", "<=", now - WINDOW_MS)
    .execute();
  await transaction.insertInto("acme_placed").values({ placed_at: now }).execute();
  return true;
}

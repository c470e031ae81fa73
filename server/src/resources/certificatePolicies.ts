import { isDeepStrictEqual } from "node:util";
import { isChangeOf, type ObjectChange } from "../journal";
import type { Transaction } from "../storage";

/**
 * Has a certificate ordered for each reserved domain that gets a policy or another one, and no more for one
 * that loses it. The rows of deleted domains go with these.
 */
export async function noteCertificatePolicies(
  transaction: Transaction,
  changes: readonly ObjectChange[],
): Promise<void> {
  for (const change of changes) {
    if (!isChangeOf(change, "reserved_domain") || !change.after) continue;
    const [was, is] = [change.before, change.after].map((one) => one?.certificate_management_policy ?? null);
    if (isDeepStrictEqual(was, is)) continue;
    const begin = {
      phase: is ? "new" : "ending",
      order_url: null,
      tries: 0,
      looks: 0,
      next_at: Date.now(),
    } as const;
    await transaction
      .insertInto("acme_order")
      .values({ domain_id: change.id, challenge: null, started_at: null, renews_at: null, ...begin })
      .onConflict((conflict) => conflict.column("domain_id").doUpdateSet(begin))
      .execute();
  }
}

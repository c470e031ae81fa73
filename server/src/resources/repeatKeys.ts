import type { Expression, InsertQueryBuilder, InsertResult, Kysely } from "kysely";
import type { Database } from "../storage";

/**
 * Adds stored keys a second time, so that the commit fails if there are any. So an optimistic transaction,
 * which waits for no answer, stays one round trip; it runs again, and is refused in words.
 * @param keys a query for the columns `scope`, `value` and `resource_id`
 */
export const repeatKeys = (
  db: Kysely<Database>,
  keys: Expression<Database["unique_key"]>,
): InsertQueryBuilder<Database, "unique_key", InsertResult> =>
  db.insertInto("unique_key").columns(["scope", "value", "resource_id"]).expression(keys);

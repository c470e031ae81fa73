import { randomBytes } from "node:crypto";
import { newId } from "../util";
import type { Store } from "./store";

/** Values chosen once for each database, on its first start. */
export interface DatabaseFacts {
  /** Stands for the server's address in stored documents. Random, so that no user's text can contain it. */
  readonly placeholder: string;
  /** The account's id in events. One database is one account. */
  readonly accountId: string;
}

/** Every database has this setting from its first start on. */
export const PLACEHOLDER = "uri_placeholder";
const ACCOUNT_ID = "account_id";

/**
 * Reads the facts.
 *
 * @param begun whether the database was served before; if not, missing facts are chosen now
 */
export async function factsOf(store: Store, begun: boolean): Promise<DatabaseFacts> {
  if (!begun) {
    const chosen = [
      { name: PLACEHOLDER, value: `base:${randomBytes(18).toString("base64url")}:` },
      { name: ACCOUNT_ID, value: newId("ac") },
    ];
    await store.write((transaction) =>
      transaction
        .insertInto("setting")
        .values(chosen)
        .onConflict((conflict) => conflict.column("name").doNothing())
        .execute(),
    );
  }
  return { placeholder: await factOf(store, PLACEHOLDER), accountId: await factOf(store, ACCOUNT_ID) };
}

async function factOf({ reader, label }: Store, name: string): Promise<string> {
  const row = await reader.selectFrom("setting").select("value").where("name", "=", name).executeTakeFirst();
  if (row) return row.value;
  throw new Error(
    `The row ${name} of the table setting was removed from ${label}. Nothing was changed; restore a backup with "tunnelplane restore"`,
  );
}

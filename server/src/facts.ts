import { randomBytes } from "node:crypto";
import { newId } from "./ids";
import type { Store } from "./storage/store";

/** What is chosen once for each database, on its first start. */
export interface Facts {
  /** A text that stands for the server's address in stored documents; random, so that nothing a user stores can contain it. */
  readonly placeholder: string;
  /** What events call the whole: everything in one database is one account. */
  readonly accountId: string;
}

/** The setting that every database has, from the first start on. */
export const PLACEHOLDER = "uri_placeholder";

/** Reads what was chosen, or chooses it. */
export async function factsOf(store: Store): Promise<Facts> {
  const known = async (name: string, candidate: string) =>
    store.write(async (transaction) => {
      await transaction
        .insertInto("setting")
        .values({ name, value: candidate })
        .onConflict((conflict) => conflict.column("name").doNothing())
        .execute();
      return (await transaction.selectFrom("setting").select("value").where("name", "=", name).executeTakeFirstOrThrow()).value;
    });
  return {
    placeholder: await known(PLACEHOLDER, `base:${randomBytes(18).toString("base64url")}:`),
    accountId: await known("account_id", newId("ac")),
  };
}

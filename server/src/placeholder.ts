import { randomBytes } from "node:crypto";
import type { Store } from "./storage/store";

/** The setting that every database has, from the first start on. */
export const PLACEHOLDER = "uri_placeholder";

/** A text that stands for the server's address in stored documents; random, so that nothing a user stores can contain it. */
export async function placeholderOf(store: Store): Promise<string> {
  return store.write(async (transaction) => {
    const candidate = { name: PLACEHOLDER, value: `base:${randomBytes(18).toString("base64url")}:` };
    await transaction
      .insertInto("setting")
      .values(candidate)
      .onConflict((conflict) => conflict.column("name").doNothing())
      .execute();
    return (await transaction.selectFrom("setting").select("value").where("name", "=", PLACEHOLDER).executeTakeFirstOrThrow()).value;
  });
}

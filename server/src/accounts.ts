import { newId } from "./ids";
import { PLACEHOLDER } from "./placeholder";
import { hashSecret, newSecret } from "./secrets";
import type { Store } from "./storage/store";

/** Who makes a request. */
export interface Caller {
  readonly ownerId: string;
  readonly keyId: string;
  readonly admin: boolean;
}

/** Finds whom an API key belongs to. */
export async function callerOf(store: Store, apiKey: string): Promise<Caller | undefined> {
  const row = await store.reader
    .selectFrom("api_key")
    .innerJoin("principal", "principal.id", "api_key.owner_id")
    .select(["api_key.id as keyId", "principal.id as ownerId", "principal.role as role"])
    .where("api_key.hash", "=", hashSecret(apiKey))
    .executeTakeFirst();
  return row && { keyId: row.keyId, ownerId: row.ownerId, admin: row.role === "admin" };
}

/**
 * On the first start makes the admin user and its API key: the one given, or a new one, which is returned
 * to be shown once. On later starts a given key that is not known yet is added to that user.
 */
export async function bootstrap(store: Store, givenKey: string | undefined): Promise<string | undefined> {
  return store.write(async (transaction) => {
    // Servers that start at the same time take turns at a row that is there already, so that one of them makes the admin.
    await transaction.selectFrom("setting").select("name").where("name", "=", PLACEHOLDER).forUpdate().executeTakeFirstOrThrow();
    const created_at = new Date().toISOString();
    const admin = await transaction.selectFrom("principal").select("id").where("role", "=", "admin").orderBy("id").executeTakeFirst();
    if (admin && !givenKey) return undefined;
    const ownerId = admin?.id ?? newId("usr");
    if (!admin) {
      await transaction.insertInto("principal").values({ id: ownerId, kind: "user", name: "admin", role: "admin", created_at }).execute();
    }
    const key = givenKey ?? newSecret("tpk");
    await transaction
      .insertInto("api_key")
      .values({ id: newId("ak"), hash: hashSecret(key), owner_id: ownerId, description: "made at start", created_at })
      .onConflict((conflict) => conflict.column("hash").doNothing())
      .execute();
    return givenKey ? undefined : key;
  });
}

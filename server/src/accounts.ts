import { definitionOf } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import { refuseFaults } from "./apiError";
import type { Core } from "./changes";
import { PLACEHOLDER } from "./facts";
import { newId } from "./ids";
import { hashSecret, newSecret } from "./secrets";
import type { Database } from "./storage/schema";

/** Who makes a request: a user or a bot, by one of its API keys. */
export interface Caller {
  readonly ownerId: string;
  /** What the user or bot is called. */
  readonly name: string;
  readonly keyId: string;
  readonly admin: boolean;
}

/** Refuses an owner that the caller may not name, or that there is not. Bots are resources, and so checked as references. */
export async function refuseForeignOwner(db: Kysely<Database>, owner: unknown, caller: Caller): Promise<void> {
  if (typeof owner !== "string" || owner === caller.ownerId) return;
  const refuse = (error: "wrong_id_kind" | "forbidden" | "missing_target", message: string) =>
    refuseFaults([{ error, path: ["owner_id"], message }]);
  if (!/^(usr|bot)_/.test(owner))
    refuse("wrong_id_kind", `is ${JSON.stringify(owner)}: expected the id of a user ("usr_…") or a bot ("bot_…")`);
  if (!caller.admin) refuse("forbidden", "names another user or bot; only admins may do that. Leave it out to own the object yourself");
  if (owner.startsWith("bot_")) return;
  const known = await db.selectFrom("principal").select("id").where("id", "=", owner).executeTakeFirst();
  if (!known) refuse("missing_target", `names ${owner}, but there is no such user or bot; leave it out to own the object yourself`);
}

/**
 * On the first start makes the admin user and its API key: the one given, or a new one, which is returned
 * to be shown once. On later starts a given key that is not known yet is added to that user.
 */
export async function bootstrap({ store, documents, keyring, journal }: Core, givenKey: string | undefined): Promise<string | undefined> {
  return store.write(async (transaction) => {
    const begunUnder = keyring.currentId;
    // Servers that start at the same time take turns at a row that is there already, so that one of them makes the admin.
    await transaction.selectFrom("setting").select("name").where("name", "=", PLACEHOLDER).forUpdate().executeTakeFirstOrThrow();
    const created_at = new Date().toISOString();
    const admin = await transaction.selectFrom("principal").select("id").where("role", "=", "admin").orderBy("id").executeTakeFirst();
    if (admin && !givenKey) return undefined;
    const ownerId = admin?.id ?? newId("usr");
    if (!admin) await transaction.insertInto("principal").values({ id: ownerId, name: "admin", role: "admin", created_at }).execute();
    const key = givenKey ?? newSecret("tpk");
    const hash = hashSecret(key);
    if (await transaction.selectFrom("told_secret").select("hash").where("hash", "=", hash).executeTakeFirst()) return undefined;
    const definition = definitionOf("api_key");
    const id = newId(definition.idPrefix);
    const sent = { description: "made when the server started", metadata: "", owner_id: ownerId };
    const after = documents.compose(definition, id, created_at, sent);
    const document = documents.seal(definition, after);
    await transaction.insertInto("resource").values({ id, kind: definition.kind, owner_id: ownerId, version: 1, document }).execute();
    await transaction.insertInto("told_secret").values({ resource_id: id, hash }).execute();
    const author = { ownerId, name: "admin", operationId: newId("op") };
    await journal.append(transaction, begunUnder, author, [{ change: "created", definition, id, after }]);
    return givenKey ? undefined : key;
  });
}

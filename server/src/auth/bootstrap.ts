import { DEFAULT_PROJECT, definitionOf, type SentOf } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import type { Documents } from "../documents";
import { commandLine, type Journal, journaled, type ObjectChange, storedAsOf } from "../journal";
import { hashSecret, type Keyring, newSecret } from "../secrets";
import { type Database, PLACEHOLDER, type Store, type Transaction } from "../storage";
import { newId } from "../util";
import { NO_ORIGIN } from "./caller";

/** The parts of the context that writing a key, its event and its audit row needs. */
interface ServerContext {
  readonly store: Store;
  readonly documents: Documents;
  readonly keyring: Keyring;
  readonly journal: Journal;
}

/** The admin's key after a server's start. */
interface Bootstrapped {
  /** A new key, to be shown once. */
  readonly newKey?: string;
  /** Whether the given key is unknown and ignored, because an admin already had a key. */
  readonly isIgnored?: boolean;
  /** Whether an earlier start made a key that it may never have shown, and nothing was made with it since. */
  readonly isUnseen?: boolean;
}

/** The setting that says whether the key that a server made was shown. */
const SHOWN = "admin_key_shown";

/**
 * On the first start, makes the admin user and its API key: the given one, or a new one. Later starts take no
 * key, so that a deleted key stays deleted even if the environment still holds it.
 */
export function bootstrap(context: ServerContext, givenKey: string | undefined): Promise<Bootstrapped> {
  return journaled(context, async (transaction, begunUnder) => {
    // Servers that start at the same time lock the same row, so that only one of them makes the admin.
    await transaction
      .selectFrom("setting")
      .select("name")
      .where("name", "=", PLACEHOLDER)
      .forUpdate()
      .executeTakeFirstOrThrow();
    if (await adminIn(transaction)) {
      const knowsGiven = givenKey !== undefined && (await isKnown(transaction, givenKey));
      return {
        isIgnored: givenKey !== undefined && !knowsGiven,
        isUnseen: !knowsGiven && (await isUnseen(transaction)),
      };
    }
    const admin = newId("usr");
    await transaction
      .insertInto("principal")
      .values({
        id: admin,
        name: "admin",
        role: "admin",
        created_at: new Date().toISOString(),
        active: 1,
        groups: "[]",
      })
      .execute();
    const key = givenKey ?? newSecret("tpk");
    const author = { ownerId: admin, name: "admin", operationId: newId("op") };
    const created = await addKey(context, transaction, admin, key, "made when the server started");
    await context.journal.append(transaction, begunUnder, author, [created]);
    const value = givenKey ? "yes" : "no";
    // An operator who removed the admin in the database left the row there.
    await transaction
      .insertInto("setting")
      .values({ name: SHOWN, value })
      .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
      .execute();
    return givenKey ? {} : { newKey: key };
  });
}

/** Notes that the new key of a first start was shown. */
export const noteShown = ({ store }: Pick<ServerContext, "store">): Promise<unknown> =>
  store.write((transaction) =>
    transaction.updateTable("setting").set({ value: "yes" }).where("name", "=", SHOWN).execute(),
  );

async function isUnseen(db: Kysely<Database>): Promise<boolean> {
  const shown = await db.selectFrom("setting").select("value").where("name", "=", SHOWN).executeTakeFirst();
  if (shown?.value === "yes") return false;
  const [first, second] = await db.selectFrom("resource").select("kind").limit(2).execute();
  return first?.kind === "api_key" && second === undefined;
}

/** Makes a new API key for the admin, for an operator who has lost all of them. */
export function recoverAdminKey(context: ServerContext): Promise<{ id: string; key: string }> {
  return journaled(context, async (transaction, begunUnder) => {
    const admin = await adminIn(transaction);
    if (!admin)
      throw new Error(
        `${context.store.label} has no admin yet: start the server, whose first start makes one and shows its API key`,
      );
    const key = newSecret("tpk");
    const created = await addKey(context, transaction, admin, key, "made by tunnelplane keys recover");
    await context.journal.append(transaction, begunUnder, commandLine(), [
      { action: "admin_key_recovered" },
      created,
    ]);
    return { id: created.id, key };
  });
}

/** The id of the first admin. */
async function adminIn(db: Kysely<Database>): Promise<string | undefined> {
  return (
    await db.selectFrom("principal").select("id").where("role", "=", "admin").orderBy("id").executeTakeFirst()
  )?.id;
}

async function isKnown(db: Kysely<Database>, key: string): Promise<boolean> {
  return (
    (await db
      .selectFrom("one_time_secret")
      .select("hash")
      .where("hash", "=", hashSecret(key))
      .executeTakeFirst()) !== undefined
  );
}

async function addKey(
  { documents }: ServerContext,
  transaction: Transaction,
  ownerId: string,
  key: string,
  description: string,
): Promise<ObjectChange> {
  const definition = definitionOf("api_key");
  const id = newId(definition.idPrefix);
  const sent: SentOf<"api_key"> = { description, metadata: "", owner_id: ownerId, scopes: [] };
  const after = documents.compose(definition, id, new Date().toISOString(), sent);
  const document = documents.seal(definition, after);
  const columns = { owner_id: ownerId, version: 1, project_id: DEFAULT_PROJECT.id };
  await transaction
    .insertInto("resource")
    .values({ id, kind: definition.kind, document, ...columns })
    .execute();
  await transaction
    .insertInto("one_time_secret")
    .values({ resource_id: id, hash: hashSecret(key), ...NO_ORIGIN })
    .execute();
  return { change: "created", definition, id, storedAs: storedAsOf(columns), after };
}

import { hash, randomBytes } from "node:crypto";
import type { Kysely } from "kysely";
import type { Database } from "../storage";
import type { Keyring } from "./keyring";

/** A new secret of 256 random bits that is told once and kept as a hash; the prefix lets scanners find leaked ones. */
export const newSecret = (prefix: "tpk" | "tpt"): string => `${prefix}_${randomBytes(32).toString("base64url")}`;

/** How a secret is kept. It has too many random bits to be guessed, so a plain hash suffices. */
export const hashSecret = (secret: string): string => hash("sha256", secret, "base64url");

/** Keeps a secret that must be read again, sealed, beside its object and never in it; it goes when the object goes. */
export async function keepSecret(
  transaction: Kysely<Database>,
  keyring: Keyring,
  { id, name }: { id: string; name: string },
  secret: string,
): Promise<void> {
  const value = keyring.seal(`${id}/${name}`, secret);
  await transaction.insertInto("sealed_secret").values({ resource_id: id, name, value }).execute();
}

/** Reads a secret that was kept, or nothing when its object is gone. */
export async function readSecret(
  db: Kysely<Database>,
  keyring: Keyring,
  { id, name }: { id: string; name: string },
): Promise<string | undefined> {
  const row = await db
    .selectFrom("sealed_secret")
    .select("value")
    .where("resource_id", "=", id)
    .where("name", "=", name)
    .executeTakeFirst();
  return row && keyring.opening(db, () => keyring.open(`${id}/${name}`, row.value));
}

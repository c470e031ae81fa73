import { hash } from "node:crypto";
import { takeRandom } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import type { Database } from "../storage";
import type { Keyring } from "./keyring";

/** A new one-time secret of 256 random bits. The prefix lets scanners find leaked ones. */
export const newSecret = (prefix: "tpk" | "tpt" | "tps"): string =>
  `${prefix}_${takeRandom(32).toString("base64url")}`;

/**
 * The stored hash of a one-time secret. With 256 random bits nobody can guess it, so a plain hash is enough.
 */
export const hashSecret = (secret: string): string => hash("sha256", secret, "base64url");

/** Seals a secret that the server needs again, to be stored beside its object. */
export const sealKept = (
  keyring: Keyring,
  { id, name }: { id: string; name: string },
  secret: string,
): string => keyring.seal(`${id}/${name}`, secret);

/** Opens a kept secret; undefined if its object was deleted. */
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

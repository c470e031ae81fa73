import { type Definition, seesAll } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import type { Database } from "../storage";
import { refuseFaults } from "../util";
import type { Caller } from "./caller";

/**
 * Refuses an owner that does not exist or that the caller may not name. Bots are resources, so references
 * check them.
 */
export async function refuseForeignOwner(
  db: Kysely<Database>,
  owner: unknown,
  caller: Caller,
): Promise<void> {
  if (typeof owner !== "string" || owner === caller.ownerId) return;
  const refuse = (error: "wrong_id_kind" | "forbidden" | "missing_target", message: string) =>
    refuseFaults([{ error, path: ["owner_id"], message }]);
  if (!/^(usr|bot)_/.test(owner))
    refuse(
      "wrong_id_kind",
      `is ${JSON.stringify(owner)}: expected the id of a user ("usr_…") or a bot ("bot_…")`,
    );
  if (!seesAll(caller.role))
    refuse(
      "forbidden",
      "names another user or bot; only admins may do that. Leave it out to own the object yourself",
    );
  if (owner.startsWith("bot_")) return;
  const known = await db.selectFrom("principal").select("id").where("id", "=", owner).executeTakeFirst();
  if (!known)
    refuse(
      "missing_target",
      `names ${owner}, but there is no such user or bot; leave it out to own the object yourself`,
    );
}

/** Whether a caller sees only its own objects of a type. */
export const seesOwnAlone = ({ access }: Definition, { role }: Caller): boolean =>
  access === "owner" && !seesAll(role);

/** Whether an object is hidden from a caller because it belongs to somebody else. */
export const isHidden = (definition: Definition, ownerId: string, caller: Caller): boolean =>
  seesOwnAlone(definition, caller) && ownerId !== caller.ownerId;

import { DEFAULT_PROJECT, type Definition, seesAll } from "@tunnelplane/sdk/contract";
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

/** To whom and what an object belongs. */
export type Belonging = Pick<Database["resource"], "owner_id" | "project_id">;

/** The project of what a caller makes. */
export const projectOf = ({ project }: Caller): string => project ?? DEFAULT_PROJECT.id;

/** Whether an object belongs to another project than the one that a request is about. */
export const isElsewhere = (
  { project_id: project }: Pick<Belonging, "project_id">,
  caller: Caller,
): boolean => caller.project !== undefined && caller.project !== project;

/** Whether an object is hidden from a caller because it belongs to somebody else or to another project. */
export const isHidden = (definition: Definition, object: Belonging, caller: Caller): boolean =>
  isElsewhere(object, caller) || (seesOwnAlone(definition, caller) && object.owner_id !== caller.ownerId);

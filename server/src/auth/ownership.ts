import {
  DEFAULT_PROJECT,
  type Definition,
  definitionOfId,
  type Role,
  seesAll,
} from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import { type Database, statement } from "../storage";
import { type Fault, type Holder, refuseFaults } from "../util";
import type { Caller } from "./caller";
import { isWithin, standingOf } from "./standing";

/**
 * Refuses an owner that does not exist or that the caller may not name. An admin of a project names only who
 * has a role in it: others do not exist there.
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
  const isOfAccount = caller.accountRole !== null && seesAll(caller.accountRole);
  if (owner.startsWith("bot_") && isOfAccount) return; // its reference is checked as every other
  const isKnown = isOfAccount
    ? (await userById(db, { id: owner })).length > 0
    : isWithin(await standingOf(db, owner), caller.project);
  if (!isKnown)
    refuse(
      "missing_target",
      `names ${owner}, but there is no such user or bot; leave it out to own the object yourself`,
    );
}

export const userById = statement<{ id: string }, { id: string }>((db, parameter) =>
  db.selectFrom("principal").select("id").where("id", "=", parameter("id")),
);

/** A reference to an object that does not exist, or not for the caller. */
export const missingTarget = (path: readonly PropertyKey[], id: string): Fault => ({
  error: "missing_target",
  path,
  message: `names ${id}, but there is no such ${definitionOfId(id)?.title ?? "user"}; create it first`,
});

/** Whether a caller sees only its own objects of a type. */
export const seesOwnAlone = ({ access }: Definition, { role }: Caller): boolean =>
  access === "owner" && !seesAll(role);

/** To whom and what an object belongs. */
export type Belonging = Pick<Database["resource"], "id" | "owner_id" | "project_id">;

/** The project that a request is about. */
export const projectOf = ({ project }: Caller): string => project ?? DEFAULT_PROJECT.id;

/** Whose turn the work of a request takes. */
export const holderOf = (caller: Caller): Holder => ({ project: projectOf(caller), owner: caller.ownerId });

/**
 * The project of what a caller makes. Projects belong to the account, and stand in `default`; a membership
 * belongs to the project that it is about.
 */
export function projectOfNew(
  { kind }: Definition,
  sent: Readonly<Record<string, unknown>>,
  caller: Caller,
): string {
  if (kind === "project") return DEFAULT_PROJECT.id;
  if (kind !== "membership") return projectOf(caller);
  return typeof sent.project_id === "string" ? sent.project_id : DEFAULT_PROJECT.id;
}

/** Whether a caller sees the objects of a type in all projects: it has a role in the account. */
const seesEverywhere = ({ kind }: Definition, { accountRole }: Caller): boolean =>
  (kind === "project" || kind === "membership") && accountRole !== null;

/** Which objects of a type a caller's lists show, beside what their owners hide. */
export interface Shown {
  /** The id of their project; undefined for all. */
  readonly project: string | undefined;
  /** Their ids; undefined for all. */
  readonly ids?: readonly string[];
  /** Further projects. */
  readonly alsoShared?: readonly string[];
}

/** @param withShared whether objects of shared projects are asked for too */
export function shownIn(definition: Definition, caller: Caller, withShared = false): Shown {
  if (seesEverywhere(definition, caller)) return { project: undefined };
  if (definition.kind === "project")
    return { project: undefined, ids: [...caller.projects.map(({ id }) => id), ...caller.shared] };
  return {
    project: caller.project,
    alsoShared: withShared && isShareable(definition) ? [...caller.shared] : [],
  };
}

/** Whether an object belongs to another project than the one that a request is about. */
export const isElsewhere = (
  { project_id: project }: Pick<Belonging, "project_id">,
  caller: Caller,
): boolean => caller.project !== undefined && caller.project !== project;

/** Whether objects of a type may be read and referred to from other projects, where theirs is shared. */
export const isShareable = ({ access }: Pick<Definition, "access">): boolean => access === "everyone";

/** Whether an object of another project may be read because that is shared. */
export const isLent = (definition: Definition, object: Belonging, caller: Caller): boolean =>
  isShareable(definition) && isElsewhere(object, caller) && caller.shared.has(object.project_id);

/** What an error says of an object of a shared project that the caller may not change. */
export const ONLY_LENT =
  "belongs to a shared project: you may read it and refer to it, and only members of that project may change it";

/** The role of a caller in a project, whichever the request is about; null for none. */
export const roleIn = ({ projects, accountRole }: Caller, project: string): Role | null =>
  projects.find(({ id }) => id === project)?.role ?? accountRole;

/** As whom a caller reads an object: in a project where it has no role, secrets are not shown. */
export const readerOf = (object: Pick<Belonging, "project_id">, caller: Caller): Pick<Caller, "role"> =>
  isElsewhere(object, caller) ? { role: "viewer" } : caller;

/** Whether something that only its owner sees, and who sees all, is hidden from a caller. */
export const isOfOthers = (object: Pick<Belonging, "owner_id" | "project_id">, caller: Caller): boolean =>
  isElsewhere(object, caller) || (!seesAll(caller.role) && object.owner_id !== caller.ownerId);

/** Whether an object is hidden from a caller because it belongs to somebody else or to another project. */
export function isHidden(definition: Definition, object: Belonging, caller: Caller): boolean {
  if (seesEverywhere(definition, caller)) return false;
  if (definition.kind === "project")
    return !caller.shared.has(object.id) && !caller.projects.some(({ id }) => id === object.id);
  return seesOwnAlone(definition, caller) ? isOfOthers(object, caller) : isElsewhere(object, caller);
}

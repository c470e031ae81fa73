import { isOfAccount, type Role } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import { isChangeOf, type ObjectChange } from "../journal";
import type { Database } from "../storage";
import { refuseFaults } from "../util";
import type { Caller } from "./caller";
import { missingTarget, roleIn } from "./ownership";
import { isAccountAdmin } from "./projects";
import { plansForOthers } from "./rights";
import { isWithin, isWithinAlone, standingOf } from "./standing";

/**
 * Refuses changes of a request with which an admin of a project, or a key that is for one project, would
 * reach beyond it: a key, an identity or a membership of somebody who has a role elsewhere, a bot or a
 * membership with a role of the account, a key for more projects.
 */
export async function refuseForeignReach(
  db: Kysely<Database>,
  caller: Caller,
  changes: readonly ObjectChange[],
): Promise<void> {
  if (isAccountAdmin(caller)) return;
  const made = new Set(changes.flatMap((one) => (one.before === undefined ? one.id : [])));
  for (const change of changes)
    if (!plansForOthers(caller, change)) await checkReach({ db, caller, made }, change);
    else if (isChangeOf(change, "api_key")) refuseForeignProject(caller, change.before, change.after);
}

async function checkReach(reach: Reach, change: ObjectChange): Promise<void> {
  if (isChangeOf(change, "api_key")) await checkKey(reach, change.before, change.after);
  if (isChangeOf(change, "bot_user")) {
    const { id, before, after } = change;
    for (const one of [before, after]) if (one) refuseRoleOfAccount(one.role);
    if (before) await refuseStranger(reach, id, []);
  }
  if (isChangeOf(change, "workload_identity"))
    for (const one of [change.before, change.after])
      if (one) await refuseStranger(reach, one.bot_user_id, ["bot_user_id"]);
  if (isChangeOf(change, "membership")) await checkMembership(reach, change.before, change.after);
}

interface KeyFields {
  readonly owner_id: string;
  readonly project_id: string | null;
}

interface MembershipFields {
  readonly project_id: string | null;
  readonly bot_user_id: string | null;
}

interface Reach {
  readonly db: Kysely<Database>;
  readonly caller: Caller;
  /** Objects that the same request makes, which may not be stored yet. */
  readonly made: ReadonlySet<string>;
}

async function checkKey(
  reach: Reach,
  before: KeyFields | undefined,
  after: KeyFields | undefined,
): Promise<void> {
  const { caller } = reach;
  const owner = (before ?? after)?.owner_id;
  if (owner !== undefined && owner !== caller.ownerId) await refuseStranger(reach, owner, ["owner_id"]);
  refuseForeignProject(caller, before, after);
  if (before || !after) return;
  const { project_id: project } = after;
  if (caller.keyProject !== null && project !== caller.keyProject)
    refuse(
      ["project_id"],
      `is not ${caller.keyProject}, the only project of the API key that makes this one: name that, or leave it out`,
    );
}

/** A project in which the caller has no role does not exist for it, in plans either. */
function refuseForeignProject(
  caller: Caller,
  before: KeyFields | undefined,
  after: KeyFields | undefined,
): void {
  const { project_id: project = null } = after ?? {};
  if (!before && project !== null && roleIn(caller, project) === null)
    refuseFaults([missingTarget(["project_id"], project)]);
}

async function checkMembership(
  reach: Reach,
  before: MembershipFields | undefined,
  after: MembershipFields | undefined,
): Promise<void> {
  const project = (before ?? after)?.project_id;
  if (project === null)
    refuse(
      ["project_id"],
      `is null, the whole account: ${ONLY} may do that. Name the project that you are an admin of`,
    );
  else if (project !== undefined && project !== reach.caller.project)
    refuseFaults([missingTarget(["project_id"], project)]);
  // A membership that goes raises nobody.
  if (after?.bot_user_id != null) await refuseStranger(reach, after.bot_user_id, ["bot_user_id"]);
}

const ONLY = "only admins of the account";

function refuseRoleOfAccount(role: Role): void {
  if (isOfAccount(role))
    refuse(["role"], `is ${role}, which a bot has for the whole account: ${ONLY} may do that`);
}

/** Refuses anybody but bots that have no role outside of the caller's project; others do not exist. */
async function refuseStranger(
  { db, caller: { project }, made }: Reach,
  id: string,
  path: readonly PropertyKey[],
): Promise<void> {
  if (made.has(id)) return; // its own role, and each membership that it gets, are looked at too
  const standing = await standingOf(db, id, made);
  if (!isWithin(standing, project)) refuseFaults([missingTarget(path, id)]);
  if (!isWithinAlone(standing, project) || !id.startsWith("bot_"))
    refuse(path, `is ${id}, who may have a role outside of this project: ${ONLY} may do that`);
}

function refuse(path: readonly PropertyKey[], message: string): void {
  refuseFaults([{ error: "forbidden", path, message }]);
}

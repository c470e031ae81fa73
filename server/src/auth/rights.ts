import {
  may,
  type Permission,
  refusalOf,
  type Subject,
  scopeBeyond,
  scopesBeyond,
} from "@tunnelplane/sdk/contract";
import { isChangeOf, type ObjectChange } from "../journal";
import { RequestError, refuseFaults } from "../util";
import type { Caller } from "./caller";

/** Refuses what the caller's role or the scopes of its key do not allow. */
export function refuseUnlessMay(caller: Caller, permission: Permission, subject: Subject): void {
  const refusal = refusalOf(caller, permission, subject);
  if (refusal !== undefined) throw new RequestError("forbidden", refusal);
}

/**
 * Refuses a change that the caller may not make, and one that would give somebody more than its own key may:
 * a key or a workload identity with more scopes, a bot or a membership whose role needs more of
 * them. `reach.ts` refuses changes that reach into other projects.
 */
export function refuseForeignRights(caller: Caller, permission: Permission, change: ObjectChange): void {
  refuseUnlessMay(caller, permission, change.definition);
  if (plansForOthers(caller, change)) return;
  if (isChangeOf(change, "api_key") && change.after) {
    const { before, after } = change;
    const [more] = scopesBeyond(before ? before.scopes : caller.scopes, after.scopes);
    const whose = before
      ? "which this key lacks: an update only takes scopes away"
      : "which the API key that makes this one lacks: name scopes that it has, or leave them out for the same";
    if (more !== undefined) refuse("scopes", `holds ${more}, ${whose}`);
  }
  if (isChangeOf(change, "workload_identity") && change.after) {
    const [more] = scopesBeyond(caller.scopes, change.after.scopes);
    if (more !== undefined)
      refuse("scopes", `holds ${more}, which this API key lacks: name scopes that it has`);
  }
  if ((isChangeOf(change, "bot_user") || isChangeOf(change, "membership")) && change.after) {
    const { role } = change.after;
    const missing = scopeBeyond(caller.scopes, role);
    if (missing !== undefined)
      refuse("role", `is ${role}, which may do more than this API key: it lacks the scope ${missing}`);
  }
}

function refuse(field: string, message: string): void {
  refuseFaults([{ error: "forbidden", path: [field], message }]);
}

/**
 * Whether a caller plans a change that only others may make: a viewer, for example, previews the program of
 * an admin.
 */
export const plansForOthers = (caller: Caller, { definition }: Pick<ObjectChange, "definition">): boolean =>
  !may(caller, "write", definition);

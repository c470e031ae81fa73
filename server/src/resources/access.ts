import { type Definition, plural } from "@tunnelplane/sdk/contract";
import type { Caller } from "../auth";
import { RequestError } from "../util";

/** Refuses what only admins may see. */
export function refuseMembers(definition: Definition, caller: Caller): void {
  if (definition.access === "admin" && !caller.admin)
    throw new RequestError("forbidden", `Only admins may see and change ${plural(definition.title)}`);
}

/** Refuses changes of what everybody may see and only admins may change. */
export function refuseChanges({ access, title }: Definition, { admin }: Caller): void {
  if (access === "adminsWrite" && !admin)
    throw new RequestError("forbidden", `Only admins may change ${plural(title)}; everybody may read them`);
}

import { type Definition, plural } from "@tunnelplane/sdk/contract";
import type { Caller } from "../auth";
import { RequestError } from "../util";

/** Refuses members if only admins may see objects of this type. */
export function refuseMembers(definition: Definition, caller: Caller): void {
  if (definition.access === "admin" && !caller.admin)
    throw new RequestError("forbidden", `Only admins may see and change ${plural(definition.title)}`);
}

/** Refuses changes by members if only admins may change objects of this type. */
export function refuseChanges({ access, title }: Definition, { admin }: Caller): void {
  if (access === "adminsWrite" && !admin)
    throw new RequestError("forbidden", `Only admins may change ${plural(title)}; everybody may read them`);
}

import { type Kind, registry } from "@tunnelplane/sdk/contract";
import type { AuditFilter } from "../journal";
import { queryError } from "../util";
import type { Query } from "./query";

const MAX_ACTION_LENGTH = 64;
const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;

/** Reads which rows of the audit log are wanted. */
export function auditFilterIn(query: Query): AuditFilter {
  const { principal, kind, action, object_id: objectId } = query;
  const [from, to] = [momentOf("from", query), momentOf("to", query)];
  if (from !== undefined && to !== undefined && from > to)
    throw queryError("from", "from must not be later than to");
  if (action !== undefined && !(action.length <= MAX_ACTION_LENGTH && /^[a-z_]+$/.test(action)))
    throw queryError(
      "action",
      "action must be the name of an action, for example ip_policy_created, or created, updated, deleted or expired",
    );
  return {
    ...(principal !== undefined && { principal }),
    ...(kind !== undefined && { kind: kindOf(kind) }),
    ...(action !== undefined && { action }),
    ...(objectId !== undefined && { objectId }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
}

function kindOf(text: string): Kind {
  const found = registry.find(({ kind }) => kind === text);
  if (found) return found.kind;
  throw queryError("kind", "kind must be a kind of object, for example ip_policy; /docs lists them");
}

/** A moment as rows of the database hold it. */
function momentOf(name: "from" | "to", { [name]: text }: Query): string | undefined {
  if (text === undefined) return undefined;
  const moment = RFC_3339.test(text) ? new Date(text) : undefined;
  if (moment && !Number.isNaN(moment.getTime())) return moment.toISOString();
  throw queryError(
    name,
    `${name} must be a time in RFC 3339, for example 2026-01-31T12:00:00Z; in an address, "+" is written %2B`,
  );
}

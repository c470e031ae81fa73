import type { TunnelSession } from "@tunnelplane/sdk";
import {
  actionOf,
  OBSERVED,
  SESSION_STARTED,
  SESSION_STOPPED,
  type StopReason,
} from "@tunnelplane/sdk/contract";
import type { Documents } from "../documents";
import type { AuditedAction } from "../journal";
import type { TunnelSessionRow } from "../storage";

/** A session as answers and events show it. */
export function sessionOf(documents: Documents, row: TunnelSessionRow): TunnelSession {
  return {
    id: row.id,
    uri: documents.addressOf(OBSERVED.tunnel_session, row.id),
    started_at: row.started_at,
    credential: documents.refTo(row.credential_id),
    ip: row.ip,
    agent_version: row.client,
    os: "",
    region: "",
    transport: "ssh/2",
    metadata: "",
  };
}

export const stopped = (documents: Documents, row: TunnelSessionRow, reason: StopReason): AuditedAction =>
  actOf(row, SESSION_STOPPED, { ...sessionOf(documents, row), reason });

export const started = (documents: Documents, row: TunnelSessionRow): AuditedAction =>
  actOf(row, SESSION_STARTED, sessionOf(documents, row));

const actOf = (
  row: TunnelSessionRow,
  type: string,
  object: TunnelSession & { readonly reason?: StopReason },
): AuditedAction => ({
  action: actionOf(type),
  subject: row.id,
  project: row.project_id,
  event: { type, object: { ...object } },
});

import { DEFAULT_PROJECT } from "@tunnelplane/sdk/contract";
import { headText } from "../../../server/src/journal/head";
import { hashOf } from "../../../server/src/journal/rows";
import { Keyring } from "../../../server/src/secrets/keyring";
import { findMasterKey, type MasterKey } from "../../../server/src/secrets/masterKey";
import { connectTo } from "../../../server/src/storage/open";
import type { AuditEventRow } from "../../../server/src/storage/schema";
import { execute, rowsIn } from "../../support/databases";
import { MASTER_KEY } from "../../support/server";

/** Takes back what events, rows of the audit log, subscriptions and idempotency keys know of projects. */
const WITHOUT_PROJECTS = `
  drop index audit_event_project_sequence; alter table audit_event drop column project_id;
  drop index event_project_sequence; alter table event drop column project_id;
  create index event_type_sequence on event (type, sequence); alter table route drop column project_id;
  drop table idempotency_key; create table idempotency_key (owner_id text not null, key text not null,
    request_hash text not null, answer text not null, created_at text not null, primary key (owner_id, key));
  create index idempotency_key_created_at on idempotency_key (created_at);`;

/** Takes back what API keys were made with, and which objects replace which. */
const WITHOUT_ORIGINS = `${["session_id", "identity_id", "identity_version"]
  .map((column) => `alter table told_secret drop column ${column};`)
  .join(" ")} drop table replacement;`;

/** Takes back what gateways saw and what was ordered, what users know of identity providers, and sessions. */
const WITHOUT_SIGN_IN = `
  ${[
    "acme_placed",
    "acme_lease",
    "acme_certificate",
    "acme_order",
    "served_edge",
    "endpoint",
    "ended_session",
  ]
    .map((table) => `drop table ${table};`)
    .join(" ")}
  drop table tunnel; drop table tunnel_session; drop table login; drop table session; drop index principal_subject;
  ${["issuer", "subject", "email", "last_sign_in_at", "active", "groups"]
    .map((column) => `alter table principal drop column "${column}";`)
    .join(" ")}`;

/**
 * Turns a database into one of the last version without digests, with its tables and hashes. Stop servers
 * first.
 */
export async function makeOld(data: string): Promise<void> {
  const isUrl = data.startsWith("postgres:");
  const keyring = new Keyring(findMasterKey({ text: MASTER_KEY, file: "" }) as MasterKey);
  const db = connectTo(isUrl ? { data: "", databaseUrl: data } : { data });
  await keyring.load(db).finally(() => db.destroy());
  const rows = (await rowsIn(data, "select * from audit_event order by sequence")) as AuditEventRow[];
  let last = { sequence: 0, hash: "0".repeat(64) };
  const changes = rows.map((row) => {
    const sequence = Number(row.sequence);
    const older = {
      ...row,
      sequence,
      object_digest: null,
      event_digest: null,
      lane: null,
      project_id: DEFAULT_PROJECT.id,
      previous_hash: last.hash,
    };
    last = { sequence, hash: hashOf(older) };
    return `update audit_event set previous_hash = '${older.previous_hash}', hash = '${last.hash}' where sequence = ${sequence};`;
  });
  const triggers = isUrl
    ? []
    : await rowsIn(data, "select name, sql from sqlite_master where type = 'trigger'");
  const key_id = (await rowsIn(data, "select key_id from audit_head"))[0]?.key_id;
  await execute(
    data,
    `${isUrl ? "alter table audit_event disable trigger all;" : triggers.map(({ name }) => `drop trigger ${name};`).join("")}
     ${changes.join("")}
     ${isUrl ? "alter table audit_event enable trigger all;" : triggers.map(({ sql }) => `${sql};`).join("")}
     update audit_head set hash = '${last.hash}', mac = '${keyring.sign(key_id, headText(last.sequence, last.hash))}';
     ${isUrl ? "drop trigger audit_event_from_lane on audit_event; " : ""}drop index audit_event_lane;
     alter table audit_event drop column lane; ${WITHOUT_PROJECTS} ${WITHOUT_SIGN_IN} ${WITHOUT_ORIGINS} drop index resource_kind_project; alter table resource drop column project_id; alter table resource drop column name; drop table ending; drop table exchanged_key; drop table key_use; drop table guarantee_state; drop table guarantee_address; drop table inbox; drop table gateway; drop table changeset_object; drop table changeset;
     alter table audit_event drop column object_digest; alter table audit_event drop column event_digest; drop table baseline;
     delete from setting where name = 'audit_key'; delete from kysely_migration where name >= '005'`,
  );
}

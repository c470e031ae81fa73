import {
  actionOf,
  OBSERVED,
  type Observed,
  SESSION_STARTED,
  SESSION_STOPPED,
  type StopReason,
  type TunnelSession,
} from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import { type Caller, isOfOthers } from "../auth";
import type { Documents } from "../documents";
import { type AuditedAction, type Journal, journaled, theServer } from "../journal";
import type { Keyring } from "../secrets";
import {
  bulkInsertion,
  type Database,
  inParts,
  isListed,
  type Store,
  statement,
  type Transaction,
  type TunnelSessionRow,
} from "../storage";
import { newId, quoted, RequestError } from "../util";
import { type Bind, hostportIn } from "./binds";

/** An agent as its gateway reports it, with the session that the gateway has for it. */
export interface ReportedSession {
  readonly session: string;
  readonly credential: string;
  readonly address: string;
  readonly since: string;
  /** The greeting of its SSH client. */
  readonly client: string;
  readonly forwardsTo: string;
  readonly binds: readonly Bind[];
}

/** Sessions that begin or end in one transaction: other writers wait for it. */
const AT_ONCE = 200;
/** A gateway that has not reported for so long serves nothing any more; it reports every 30 s. */
export const SILENT_MS = 90_000;
/** How long a session that was stopped is kept out with its credential, from its address. */
const KEPT_OUT_MS = 60_000;
/** Reports that were under way when a session was ended may still name it for so long. */
const REMEMBERED_MS = 10 * 60_000;

/** The parts that sessions need to be kept and recorded. */
export interface SessionTools {
  readonly store: Store;
  readonly documents: Documents;
  readonly keyring: Keyring;
  readonly journal: Journal;
}

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

/**
 * Brings the sessions of a gateway to its report: those that are new start, those that it no longer names
 * have left. Each is an event.
 */
export async function keepSessions(
  tools: SessionTools,
  gateway: string,
  reported: readonly ReportedSession[],
): Promise<void> {
  while (await differs(tools.store.reader, gateway, reported)) {
    const done = await journaled(tools, async (transaction, begunUnder) => {
      const acts = await keepSome(tools, transaction, gateway, reported);
      await tools.journal.append(transaction, begunUnder, theServer(), acts);
      return acts.length < AT_ONCE;
    });
    if (done) return;
  }
}

interface Differences {
  readonly started: readonly ReportedSession[];
  readonly rebound: readonly ReportedSession[];
  readonly left: readonly string[];
}

async function differs(
  db: Kysely<Database>,
  gateway: string,
  reported: readonly ReportedSession[],
): Promise<boolean> {
  const { started, rebound, left } = await differencesOf(db, gateway, reported);
  return started.length + rebound.length + left.length > 0;
}

async function differencesOf(
  db: Kysely<Database>,
  gateway: string,
  reported: readonly ReportedSession[],
): Promise<Differences> {
  const known = new Map((await sessionsOf(db, { gateway })).map(({ id, binds }) => [id, binds]));
  const ended = new Set((await endedAmong(db, reported)).map(({ id }) => id));
  const now = reported.filter(({ session }) => !ended.has(session));
  const there = new Set(now.map(({ session }) => session));
  return {
    started: now.filter(({ session }) => !known.has(session)),
    rebound: now.filter(({ session, binds }) => {
      const before = known.get(session);
      return before !== undefined && before !== JSON.stringify(binds);
    }),
    left: [...known.keys()].filter((id) => !there.has(id)),
  };
}

const endedAmong = (db: Kysely<Database>, reported: readonly ReportedSession[]) =>
  inParts(
    reported.map(({ session }) => session),
    (ids) => endedListed(db, { ids }),
  );

/** Some of the differences, in a transaction that holds the gateway. Returns what happened. */
async function keepSome(
  { documents }: Pick<SessionTools, "documents">,
  transaction: Transaction,
  gateway: string,
  reported: readonly ReportedSession[],
): Promise<AuditedAction[]> {
  await lockGateway(transaction, { name: gateway });
  const { started, rebound, left } = await differencesOf(transaction, gateway, reported);
  const gone = await removeSessions(transaction, left.slice(0, AT_ONCE));
  const acts = gone.map((row) => stopped(documents, row, "left"));
  const begun = await startSessions(transaction, gateway, started.slice(0, AT_ONCE - acts.length));
  for (const row of begun) acts.push(actOf(row, SESSION_STARTED, sessionOf(documents, row)));
  for (const one of rebound) await bindAnew(transaction, one);
  return acts;
}

/** Sessions of credentials that are gone are not kept: their gateway ends them. */
async function startSessions(
  transaction: Transaction,
  gateway: string,
  started: readonly ReportedSession[],
): Promise<TunnelSessionRow[]> {
  const owners = new Map(
    (
      await inParts([...new Set(started.map(({ credential }) => credential))], (ids) =>
        belongingOf(transaction, { ids }),
      )
    ).map((row) => [row.id, row]),
  );
  // Of another gateway, which reported it before.
  const taken = new Set(
    (
      await inParts(
        started.map(({ session }) => session),
        (ids) => sessionsListed(transaction, { ids }),
      )
    ).map(({ id }) => id),
  );
  const rows = started.flatMap((one): TunnelSessionRow[] => {
    const owner = owners.get(one.credential);
    if (!owner || taken.has(one.session)) return [];
    return [
      {
        id: one.session,
        gateway,
        credential_id: owner.id,
        owner_id: owner.owner_id,
        project_id: owner.project_id,
        ip: one.address,
        client: one.client,
        forwards_to: one.forwardsTo,
        binds: JSON.stringify(one.binds),
        started_at: new Date(one.since).toISOString(),
      },
    ];
  });
  await insertSessions(transaction, rows);
  await insertTunnels(
    transaction,
    rows.flatMap((row) => (JSON.parse(row.binds) as Bind[]).map((bind) => tunnelOf(row, bind))),
  );
  return rows;
}

const tunnelOf = (row: Pick<TunnelSessionRow, "id" | "owner_id" | "project_id">, bind: Bind) => ({
  id: newId(OBSERVED.tunnel.idPrefix),
  session_id: row.id,
  owner_id: row.owner_id,
  project_id: row.project_id,
  bind: JSON.stringify(bind),
  hostport: hostportIn(bind) ?? null,
  started_at: new Date().toISOString(),
});

/** Tunnels whose binds stay keep their ids. */
async function bindAnew(transaction: Transaction, { session, binds }: ReportedSession): Promise<void> {
  const [row] = await sessionsListed(transaction, { ids: JSON.stringify([session]) });
  if (!row) return;
  const wanted = new Map(binds.map((bind) => [JSON.stringify(bind), bind]));
  for (const { id, bind } of await tunnelsOf(transaction, { session }))
    if (!wanted.delete(bind)) await deleteTunnel(transaction, { id });
  await insertTunnels(
    transaction,
    [...wanted.values()].map((bind) => tunnelOf(row, bind)),
  );
  await transaction
    .updateTable("tunnel_session")
    .set({ binds: JSON.stringify(binds) })
    .where("id", "=", session)
    .execute();
}

/**
 * Ends the sessions of gateways that no longer report, and forgets old ends.
 * @param now in milliseconds
 * @param startedAt when this server started: before, no gateway could report to it
 */
export async function endSilentSessions(tools: SessionTools, now: number, startedAt: number): Promise<void> {
  if (now - startedAt < SILENT_MS) return;
  const before = new Date(now - SILENT_MS).toISOString();
  const silent = await silentSessions(tools.store.reader, { before, limit: AT_ONCE });
  if (silent.length > 0)
    await journaled(tools, async (transaction, begunUnder) => {
      // Asked again: the gateway may have reported meanwhile.
      const still = await silentSessions(transaction, { before, limit: AT_ONCE });
      const gone = await removeSessions(
        transaction,
        still.map(({ id }) => id),
      );
      const acts = gone.map((row) => stopped(tools.documents, row, "gateway_silent"));
      await tools.journal.append(transaction, begunUnder, theServer(), acts);
    });
  await tools.store.write((transaction) =>
    transaction
      .deleteFrom("ended_session")
      .where("ended_at", "<", now - REMEMBERED_MS)
      .execute(),
  );
}

/**
 * Ends a session: its gateway hangs up as soon as it sees the event. One that is stopped is kept out for a
 * while, by its credential and address; one that is restarted may come back at once.
 *
 * @throws RequestError if there is no such session, or it is not one that the caller may see
 */
export async function endSession(
  { documents }: Pick<SessionTools, "documents">,
  transaction: Transaction,
  caller: Caller,
  id: string,
  how: "stopped" | "restarted",
): Promise<AuditedAction> {
  const row = await transaction
    .selectFrom("tunnel_session")
    .selectAll()
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
  if (!row || isOfOthers(row, caller)) throw noLonger(OBSERVED.tunnel_session, id);
  await removeSessions(transaction, [id]);
  const now = Date.now();
  await transaction
    .insertInto("ended_session")
    .values({
      id,
      credential_id: row.credential_id,
      ip: row.ip,
      ended_at: now,
      kept_out_until: how === "stopped" ? now + KEPT_OUT_MS : 0,
    })
    .execute();
  return stopped(documents, row, how);
}

export const noLonger = ({ title }: Observed, id: string): RequestError =>
  new RequestError("not_found", `There is no ${title} ${quoted(id)}; it is over, or was never there`);

/** Why a credential may not log in from an address just now; undefined if it may. */
export async function keptOutBecause(
  { reader }: Store,
  credential: string,
  ip: string,
): Promise<string | undefined> {
  const [row] = await keptOut(reader, { credential, ip, now: Date.now() });
  if (!row) return undefined;
  const seconds = Math.ceil((Number(row.until) - Date.now()) / 1000);
  return `The session ${row.id} of the credential ${credential} was stopped: it may come back from ${ip} in ${seconds} s`;
}

const stopped = (documents: Documents, row: TunnelSessionRow, reason: StopReason): AuditedAction =>
  actOf(row, SESSION_STOPPED, { ...sessionOf(documents, row), reason });

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

/** Returns those that were there. */
const removeSessions = (
  transaction: Transaction,
  ids: readonly string[],
): Promise<readonly TunnelSessionRow[]> => inParts(ids, (part) => deleteSessions(transaction, { ids: part }));

const sessionsOf = statement<{ gateway: string }, Pick<TunnelSessionRow, "id" | "binds">>((db, parameter) =>
  db.selectFrom("tunnel_session").select(["id", "binds"]).where("gateway", "=", parameter("gateway")),
);

const sessionsListed = statement<{ ids: string }, TunnelSessionRow>((db, parameter) =>
  db
    .selectFrom("tunnel_session")
    .selectAll()
    .where(isListed(db, "id", parameter("ids"))),
);

const endedListed = statement<{ ids: string }, { id: string }>((db, parameter) =>
  db
    .selectFrom("ended_session")
    .select("id")
    .where(isListed(db, "id", parameter("ids"))),
);

const belongingOf = statement<{ ids: string }, { id: string; owner_id: string; project_id: string }>(
  (db, parameter) =>
    db
      .selectFrom("resource")
      .select(["id", "owner_id", "project_id"])
      .where(isListed(db, "id", parameter("ids"))),
);

const lockGateway = statement<{ name: string }, { name: string }>((db, parameter) =>
  db.selectFrom("gateway").select("name").where("name", "=", parameter("name")).forUpdate(),
);

const insertSessions = bulkInsertion("tunnel_session", [
  "id",
  "gateway",
  "credential_id",
  "owner_id",
  "project_id",
  "ip",
  "client",
  "forwards_to",
  "binds",
  "started_at",
]);

const insertTunnels = bulkInsertion("tunnel", [
  "id",
  "session_id",
  "owner_id",
  "project_id",
  "bind",
  "hostport",
  "started_at",
]);

const tunnelsOf = statement<{ session: string }, { id: string; bind: string }>((db, parameter) =>
  db.selectFrom("tunnel").select(["id", "bind"]).where("session_id", "=", parameter("session")),
);

const deleteTunnel = statement<{ id: string }, unknown>((db, parameter) =>
  db.deleteFrom("tunnel").where("id", "=", parameter("id")),
);

const deleteSessions = statement<{ ids: string }, TunnelSessionRow>((db, parameter) =>
  db
    .deleteFrom("tunnel_session")
    .where(isListed(db, "id", parameter("ids")))
    .returningAll(),
);

const silentSessions = statement<{ before: string; limit: number }, { id: string }>((db, parameter) =>
  db
    .selectFrom("tunnel_session")
    .leftJoin("gateway", "gateway.name", "tunnel_session.gateway")
    .select("id")
    .where(({ or, eb }) => or([eb("last_seen", "is", null), eb("last_seen", "<", parameter("before"))]))
    .orderBy("id")
    .limit(parameter("limit")),
);

const keptOut = statement<{ credential: string; ip: string; now: number }, { id: string; until: number }>(
  (db, parameter) =>
    db
      .selectFrom("ended_session")
      .select(["id", "kept_out_until as until"])
      .where("credential_id", "=", parameter("credential"))
      .where("ip", "=", parameter("ip"))
      .where("kept_out_until", ">", parameter("now"))
      .orderBy("kept_out_until", "desc")
      .limit(1),
);

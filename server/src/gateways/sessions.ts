import { OBSERVED } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import { type AuditedAction, journaled, theServer } from "../journal";
import {
  bulkInsertion,
  type Database,
  inParts,
  isListed,
  statement,
  type Transaction,
  type TunnelSessionRow,
} from "../storage";
import { newId } from "../util";
import { type Bind, hostportIn } from "./binds";
import { AT_ONCE, removeSessions, type SessionTools } from "./sessionEnds";
import { started, stopped } from "./sessionEvents";

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
  readonly begun: readonly ReportedSession[];
  readonly rebound: readonly ReportedSession[];
  readonly left: readonly string[];
}

async function differs(
  db: Kysely<Database>,
  gateway: string,
  reported: readonly ReportedSession[],
): Promise<boolean> {
  const { begun, rebound, left } = await differencesOf(db, gateway, reported);
  return begun.length + rebound.length + left.length > 0;
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
    begun: now.filter(({ session }) => !known.has(session)),
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
  const { begun: fresh, rebound, left } = await differencesOf(transaction, gateway, reported);
  const gone = await removeSessions(transaction, left.slice(0, AT_ONCE));
  const acts = gone.map((row) => stopped(documents, row, "left"));
  const begun = await startSessions(transaction, gateway, fresh.slice(0, AT_ONCE - acts.length));
  for (const row of begun) acts.push(started(documents, row));
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
    rows.flatMap((row) => bindsOf(row).map((bind) => tunnelOf(row, bind))),
  );
  return rows;
}

const bindsOf = ({ binds }: TunnelSessionRow): Bind[] => JSON.parse(binds);

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

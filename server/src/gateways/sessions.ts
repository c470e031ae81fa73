import { OBSERVED } from "@tunnelplane/sdk/contract";
import { type AuditedAction, journaled, theServer } from "../journal";
import { bulkInsertion, isListed, statement, type Transaction, type TunnelSessionRow } from "../storage";
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
  const known = new Map(
    (await sessionsOf(tools.store.reader, { gateway })).map(({ id, binds }) => [id, binds]),
  );
  const named = new Set(reported.map(({ session }) => session));
  await inTurns(
    tools,
    gateway,
    [...known.keys()].filter((id) => !named.has(id)),
    async (transaction, left) => {
      const gone = await removeSessions(transaction, left);
      return gone.map((row) => stopped(tools.documents, row, "left"));
    },
  );
  await inTurns(
    tools,
    gateway,
    reported.filter(({ session }) => !known.has(session)),
    async (transaction, fresh) => {
      const begun = await startSessions(transaction, gateway, fresh);
      return begun.map((row) => started(tools.documents, row));
    },
  );
  const isRebound = ({ session, binds }: ReportedSession) =>
    known.has(session) && known.get(session) !== JSON.stringify(binds);
  await inTurns(tools, gateway, reported.filter(isRebound), async (transaction, rebound) => {
    for (const one of rebound) await bindAnew(transaction, one);
    return [];
  });
}

/** Works through a list, some at once in a transaction that holds the gateway and records what happened. */
async function inTurns<T>(
  tools: SessionTools,
  gateway: string,
  list: readonly T[],
  work: (transaction: Transaction, part: readonly T[]) => Promise<AuditedAction[]>,
): Promise<void> {
  for (let next = 0; next < list.length; next += AT_ONCE)
    await journaled(tools, async (transaction, begunUnder) => {
      await lockGateway(transaction, { name: gateway });
      const acts = await work(transaction, list.slice(next, next + AT_ONCE));
      await tools.journal.append(transaction, begunUnder, theServer(), acts);
    });
}

/**
 * Starts those that may: not those that somebody ended, or that are there by now, of this gateway or another.
 * Sessions of credentials that are gone are not kept: their gateway ends them.
 */
async function startSessions(
  transaction: Transaction,
  gateway: string,
  fresh: readonly ReportedSession[],
): Promise<TunnelSessionRow[]> {
  const credentials = [...new Set(fresh.map(({ credential }) => credential))];
  const ids = JSON.stringify(fresh.map(({ session }) => session));
  const owners = new Map(
    (await belongingOf(transaction, { ids: JSON.stringify(credentials) })).map((row) => [row.id, row]),
  );
  const not = new Set(
    [...(await sessionsListed(transaction, { ids })), ...(await endedListed(transaction, { ids }))].map(
      ({ id }) => id,
    ),
  );
  const rows = fresh.flatMap((one): TunnelSessionRow[] => {
    const owner = owners.get(one.credential);
    if (!owner || not.has(one.session)) return [];
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

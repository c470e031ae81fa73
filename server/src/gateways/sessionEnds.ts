import { OBSERVED, type Observed } from "@tunnelplane/sdk/contract";
import { type Caller, isOfOthers } from "../auth";
import type { Documents } from "../documents";
import { type AuditedAction, type Journal, journaled, theServer } from "../journal";
import type { Keyring } from "../secrets";
import {
  inParts,
  isListed,
  type Store,
  statement,
  type Transaction,
  type TunnelSessionRow,
} from "../storage";
import { quoted, RequestError } from "../util";
import { stopped } from "./sessionEvents";

/** Sessions that begin or end in one transaction: other writers wait for it. */
export const AT_ONCE = 200;
/** A gateway that has not reported for this long serves nothing any more; it reports every 30 s. */
export const SILENT_MS = 90_000;
/** How long a session that was stopped is kept out with its credential, from its address. */
export const KEPT_OUT_MS = 60_000;
/** Reports that were in flight when a session was ended may still name it this long. */
const REMEMBERED_MS = 10 * 60_000;

/** The parts that sessions need to be kept and recorded. */
export interface SessionTools {
  readonly store: Store;
  readonly documents: Documents;
  readonly keyring: Keyring;
  readonly journal: Journal;
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

/** Returns those that were there. */
export const removeSessions = (
  transaction: Transaction,
  ids: readonly string[],
): Promise<readonly TunnelSessionRow[]> => inParts(ids, (part) => deleteSessions(transaction, { ids: part }));

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

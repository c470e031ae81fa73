import { messageOf } from "@tunnelplane/sdk/contract";
import type { PostgresPool, PostgresPoolClient } from "kysely";
import { type ClientBase, DatabaseError, type Pool, type PoolClient } from "pg";
import type Cursor from "pg-cursor";
import { type Outcome, type Sent, sendTogether } from "./batch";
import type { Hosts } from "./hosts";
import { Unavailable } from "./store";
import type { Watch } from "./watch";

/**
 * What each connection begins with. Not in the startup message: poolers refuse what they do not know there.
 * The last statement answers the session, which behind a pooler only PostgreSQL knows.
 */
const beginning = (settings: readonly string[]): string =>
  // Administrators may have set another default.
  [
    "set default_transaction_isolation = 'read committed'",
    ...settings,
    "select pg_backend_pid() as pid",
  ].join("; ");

/** What each new connection does before it is used. @param settings statements that it begins with */
export const begin =
  (settings: readonly string[] = [], watch?: Watch) =>
  async (client: ClientBase): Promise<void> => {
    // Without a listener, the error of a connection that breaks would end the process; the pool drops it.
    client.on("error", () => undefined);
    // pg answers several statements with a list, which its types do not tell.
    const results = await client.query(beginning(settings));
    watch?.know(client as PoolClient, Number([results].flat().at(-1)?.rows[0]?.pid));
  };

/** A connection that a transaction has for itself. */
export interface PooledClient extends PostgresPoolClient {
  sendTogether(statements: readonly Sent[]): Promise<Outcome>;
}

export interface AdaptedPool extends PostgresPool {
  connect(): Promise<PooledClient>;
}

/** Adapts the pool to Kysely, and turns outages into Unavailable, apart from errors in statements. */
export function adapt(pool: Pool, hosts: Hosts, watch?: Watch): AdaptedPool {
  const translate = (error: unknown) => {
    if (!isOutage(error)) return error;
    hosts.doubt();
    return new Unavailable(`${hosts.label}: ${wordsOf(error)}`, error);
  };
  return {
    options: {},
    end: () => pool.end(),
    connect: async () => {
      await hosts.choose();
      const client = await pool.connect().catch((error: unknown) => Promise.reject(translate(error)));
      return adaptClient(client, translate, watch);
    },
  };
}

function adaptClient(
  client: PoolClient,
  translate: (error: unknown) => unknown,
  watch: Watch | undefined,
): PooledClient {
  let broken = false;
  const tried = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await (watch ? watch.over(client, answer) : answer);
    } catch (error) {
      const translated = translate(error);
      broken ||= translated instanceof Unavailable;
      throw translated;
    }
  };
  const together = (statements: readonly Sent[]) => tried(sendTogether(client, statements));
  const query = (sql: string | Cursor, parameters: readonly unknown[] = []) => {
    if (typeof sql !== "string") return client.query(sql);
    // Migrations have several statements in one text.
    return parameters.length === 0 ? tried(client.query(sql)) : together([{ sql, parameters }]);
  };
  return {
    query: query as unknown as PostgresPoolClient["query"],
    sendTogether: together,
    release: (discard) => client.release(discard || broken),
  };
}

// Classes of https://www.postgresql.org/docs/current/errcodes-appendix.html: connection, authorization, no
// such database, resources, operator intervention (shutdown, time limits), system errors; and a standby, and
// our limit on idle transactions.
const OUTAGES = /^(08|28|3D|53|57|58|25006|25P03)/;

/** Every error of pg that is not an answer of PostgreSQL is about the connection. */
const isOutage = (error: unknown): boolean =>
  !(error instanceof DatabaseError) || OUTAGES.test(error.code ?? "");

/** A host with several addresses fails with one error for each. */
const wordsOf = (error: unknown): string =>
  error instanceof AggregateError ? error.errors.map(wordsOf).join(", ") : messageOf(error);

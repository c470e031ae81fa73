import { Client, type ClientConfig } from "pg";

/** In milliseconds: a pooler may have no connection left for the second one. */
const WAIT_MS = 3_000;

/**
 * Refuses a PostgreSQL database that a server cannot work with, before it is used. One that cannot be reached
 * is left to whoever uses it next.
 *
 * @throws Error with one line that says what to set
 */
export async function refuseUnusable(url: string, label: string): Promise<void> {
  const settings: ClientConfig = {
    ...{ connectionString: url, connectionTimeoutMillis: WAIT_MS, query_timeout: WAIT_MS },
  };
  const clients = [new Client(settings), new Client(settings)] as const;
  for (const client of clients) client.on("error", () => undefined);
  try {
    const [one, other] = clients;
    await one.connect();
    const encoding = (await one.query("show server_encoding")).rows[0]?.server_encoding;
    if (encoding !== "UTF8")
      throw new Unusable(
        `${label} is encoded in ${encoding}, and a server stores texts of all scripts: create the database with "encoding 'UTF8' template template0"`,
      );
    await other.connect();
    if (await isShared(one, other))
      throw new Unusable(
        `${label} is behind a pooler that gives a connection to another client after each transaction: set pool_mode = session there for this database (PgBouncer's default), or name PostgreSQL itself`,
      );
  } catch (error) {
    if (error instanceof Unusable) throw error;
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}

class Unusable extends Error {}

/** Poolers give the connection that was used last. Others may come between, so it is tried some times. */
const TRIES = 4;

/** Whether two clients get the same session of PostgreSQL, one after the other. */
async function isShared(one: Client, other: Client): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries++) {
    const first = await sessionOf(one);
    try {
      await other.query("begin");
    } catch (error) {
      if (/pooling mode/.test(String(error))) return true; // after each statement
      throw error;
    }
    const second = await sessionOf(other);
    if (second === first || (await sessionOf(one)) !== first) return true;
    await other.query("rollback");
  }
  return false;
}

const sessionOf = async (client: Client): Promise<unknown> =>
  (await client.query("select pg_backend_pid() as pid")).rows[0]?.pid;

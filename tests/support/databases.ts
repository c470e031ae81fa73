import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { atEndOfFile } from "./endOfFile";
import { newFolder } from "./folder";
import { Postgres, PostgresServer } from "./postgres";
import { ServerProcess, type StartOptions } from "./server";

/** A kind of database for servers. */
export interface Database {
  readonly name: string;
  /** Creates a database for `data` in StartOptions: its folder or URL. It is deleted after all tests. */
  create(): Promise<string>;
  /** Creates a copy of such a database, cheaper than a server that fills one. No server may use it. */
  copyOf(data: string): Promise<string>;
}

/** Starts a server for a test, on a new database of the tested kind unless `data` names one. */
export type Start = (options?: StartOptions) => Promise<ServerProcess>;
let shared: Promise<Postgres> | undefined;

/** The PostgreSQL of this run, where databases last as long as the file. Without a run around it: its own. */
export function sharedPostgres(): Promise<Postgres> {
  const ofTheRun = process.env.TESTS_POSTGRES;
  if (!shared) {
    const starting = ofTheRun ? new Postgres(ofTheRun) : PostgresServer.start();
    atEndOfFile(async () => {
      shared = undefined;
      const postgres = await starting;
      await (postgres instanceof PostgresServer ? postgres.stop() : postgres.dropDatabases());
    });
    shared = Promise.resolve(starting);
  }
  return shared;
}

const SQLITE: Database = {
  name: "SQLite",
  create: async () => newFolder(),
  copyOf: async (data) => {
    const folder = newFolder();
    cpSync(data, folder, { recursive: true });
    return folder;
  },
};

export const DATABASES: readonly Database[] = [
  SQLITE,
  {
    name: "PostgreSQL",
    create: async () => (await sharedPostgres()).newDatabase(),
    copyOf: async (data) => (await sharedPostgres()).newDatabase(data),
  },
];

// biome-ignore lint/suspicious/noExplicitAny: a row of any table
export type Row = Record<string, any>;

/** Runs queries directly in a server's database, over one connection, and returns the rows of each. */
async function rowsOf(data: string, statements: readonly string[]): Promise<Row[][]> {
  if (data.startsWith("postgres:")) {
    const client = new Client({ connectionString: data });
    await client.connect();
    return Promise.all(statements.map(async (statement) => (await client.query(statement)).rows)).finally(
      () => client.end(),
    );
  }
  const database = new DatabaseSync(join(data, "tunnelplane.db"), { readOnly: true });
  try {
    return statements.map((statement) => database.prepare(statement).all());
  } finally {
    database.close();
  }
}

export const rowsIn = async (data: string, statement: string): Promise<Row[]> =>
  (await rowsOf(data, [statement]))[0] as Row[];

export const optionsOf = (data: string) =>
  data.startsWith("postgres:") ? { data: "", databaseUrl: data } : { data };

export const countIn = async (data: string, table: string, where = "true"): Promise<number> =>
  Number((await rowsIn(data, `select count(*) as count from ${table} where ${where}`))[0]?.count);

/** Waits until a running server has moved every committed change to its place in both logs. */
export async function settled(data: string): Promise<void> {
  while ((await countIn(data, "inbox")) > 0) await sleep(5);
}

export async function execute(data: string, statements: string): Promise<void> {
  if (data.startsWith("postgres:")) {
    const client = new Client({ connectionString: data });
    await client.connect();
    await client.query(statements).finally(() => client.end());
    return;
  }
  const database = new DatabaseSync(join(data, "tunnelplane.db"));
  try {
    database.exec(`pragma busy_timeout = 5000; ${statements}`);
  } finally {
    database.close();
  }
}

/** The tables of a database, from its own catalogue; none if there is no database. */
export async function tablesIn(data: string): Promise<string[]> {
  const isUrl = data.startsWith("postgres:");
  if (!isUrl && !existsSync(join(data, "tunnelplane.db"))) return [];
  const statement = isUrl
    ? "select tablename as name from pg_tables where schemaname = 'public' order by 1"
    : "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by 1";
  return (await rowsIn(data, statement)).map(({ name }) => name);
}

/** The whole content of a database, in a form that is equal for all kinds of databases. */
export async function contentOf(data: string): Promise<Record<string, string[]>> {
  const content: Record<string, string[]> = {};
  // The times of migrations, and what a server writes beside requests.
  const tables = (await tablesIn(data)).filter((name) => !name.startsWith("kysely_") && name !== "key_use");
  const selects = tables.map((table) => `select * from ${table}`);
  const all = selects.length > 0 ? await rowsOf(data, selects) : [];
  for (const [index, table] of tables.entries()) {
    const comparable = (value: unknown) =>
      value instanceof Uint8Array
        ? Buffer.from(value).toString("hex")
        : value === null
          ? null
          : String(value);
    content[table] = (all[index] as Row[])
      .map((row) => JSON.stringify(Object.entries(row).map(([name, value]) => [name, comparable(value)])))
      .sort();
  }
  return content;
}

type Tests = (start: Start, database: Database) => void;

/** A `describe` on every kind of database, for what their statements, locks and values decide. */
export function onEveryDatabase(title: string, tests: Tests): void {
  for (const database of DATABASES) describeOn(database, `On ${database.name}: ${title}`, tests);
}

/** A `describe` that runs on SQLite, for promises that do not depend on the kind of database. */
export function onOneDatabase(title: string, tests: Tests): void {
  describeOn(SQLITE, title, tests);
}

function describeOn(database: Database, title: string, tests: Tests): void {
  const start: Start = async (options = {}) =>
    ServerProcess.start({ ...options, data: options.data ?? (await database.create()) });
  describe(title, () => tests(start, database));
}

export function untilTestEnds(start: Start, signal?: NodeJS.Signals): Start {
  const running: ServerProcess[] = [];
  afterEach("stop the servers", async () => {
    for (const server of running.splice(0)) await server.stop(signal);
  });
  return async (options) => {
    const server = await start(options);
    running.push(server);
    return server;
  };
}

/** The tables that a change of any kind would leave something in. */
const TRACES = [
  ...["resource", "reference", "unique_key", "one_time_secret", "sealed_secret", "event", "audit_event"],
  ...["audit_head", "idempotency_key", "changeset", "changeset_object", "guarantee_address"],
  "exchanged_key",
];

export async function tracesIn({ data }: { readonly data: string }): Promise<Row[][]> {
  await settled(data);
  return rowsOf(
    data,
    TRACES.map((table) => `select * from ${table} order by 1, 2`),
  );
}

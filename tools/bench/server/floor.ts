import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Pool } from "pg";
import { SUBJECTS } from "./subject";

/**
 * The floor: the same answers at the lowest cost, from node:http and a database, without keys, validation,
 * references and logs. Run as `floor.ts <kind> <place> <bytes of each subject>`.
 */
const [kind, place, ...sizes] = process.argv.slice(2) as [
  "one by one" | "group commit" | "postgres",
  string,
  ...string[],
];

interface Row {
  readonly id: string;
  readonly created_at: string;
  readonly description: string;
  readonly metadata: string;
  /** Makes a row's JSON as large as one of our objects. */
  readonly rest: string;
}

interface Rows {
  get(id: string): Promise<Row> | Row;
  newest(before: string): Promise<Row[]> | Row[];
  insert(row: Row): Promise<void>;
  update(id: string, description: string): Promise<Row>;
}

/** The objects of one subject. */
interface Things {
  readonly path: string;
  readonly listKey: string;
  readonly bytes: number;
  readonly rows: Rows;
}

const TABLE = (name: string, id: string) =>
  `create table ${name} (id ${id} primary key not null, created_at text, description text, metadata text, rest text)`;
const PAGE = 100;

function sqlite(grouped: boolean): (table: string) => Rows {
  const database = new DatabaseSync(join(place, "floor.db"));
  database.exec(`pragma journal_mode = wal; pragma synchronous = full`);
  const run = (statement: string) => database.exec(statement);
  let waiting: (() => () => void)[] = [];

  /** Changes of one turn of the event loop share a commit, with a savepoint each. */
  const commitGroup = () => {
    const group = waiting;
    waiting = [];
    run("begin immediate");
    const tell = group.map((job) => {
      run("savepoint job");
      const done = job();
      run("release job");
      return done;
    });
    run("commit");
    for (const done of tell) done();
  };
  const write = <T>(work: () => T): Promise<T> => {
    if (!grouped) {
      run("begin immediate");
      const result = work();
      run("commit");
      return Promise.resolve(result);
    }
    return new Promise((resolve) => {
      if (waiting.length === 0) setImmediate(commitGroup);
      waiting.push(() => {
        const result = work();
        return () => resolve(result);
      });
    });
  };
  return (table) => {
    database.exec(TABLE(table, "text"));
    const one = database.prepare(`select * from ${table} where id = ?`);
    const page = database.prepare(`select * from ${table} where id < ? order by id desc limit ${PAGE + 1}`);
    const add = database.prepare(`insert into ${table} values (?, ?, ?, ?, ?)`);
    const change = database.prepare(`update ${table} set description = ? where id = ?`);
    return {
      get: (id) => one.get(id) as unknown as Row,
      newest: (before) => page.all(before) as unknown as Row[],
      insert: (row) =>
        write(() => void add.run(row.id, row.created_at, row.description, row.metadata, row.rest)),
      update: (id, description) =>
        write(() => {
          const row = { ...(one.get(id) as unknown as Row), description };
          change.run(description, id);
          return row;
        }),
    };
  };
}

async function postgres(): Promise<(table: string) => Promise<Rows>> {
  const pool = new Pool({ connectionString: place, max: 10 });
  const find = async (name: string, text: string, values: unknown[]) =>
    (await pool.query<Row>({ name, text, values })).rows;
  return async (table) => {
    await pool.query(TABLE(table, 'text collate "C"')); // in the order of bytes, as on SQLite
    return {
      get: async (id) => (await find(`get ${table}`, `select * from ${table} where id = $1`, [id]))[0] as Row,
      newest: (before) =>
        find(`page ${table}`, `select * from ${table} where id < $1 order by id desc limit ${PAGE + 1}`, [
          before,
        ]),
      insert: async (row) => {
        await find(`insert ${table}`, `insert into ${table} values ($1, $2, $3, $4, $5)`, [
          row.id,
          row.created_at,
          row.description,
          row.metadata,
          row.rest,
        ]);
      },
      update: async (id, description) => {
        const client = await pool.connect();
        try {
          await client.query("begin");
          const text = `select * from ${table} where id = $1 for update`;
          const { rows } = await client.query<Row>({ name: `lock ${table}`, text, values: [id] });
          const change = `update ${table} set description = $1 where id = $2`;
          await client.query({ name: `update ${table}`, text: change, values: [description, id] });
          await client.query("commit");
          return { ...(rows[0] as Row), description };
        } finally {
          client.release();
        }
      },
    };
  };
}

async function bodyOf(
  request: IncomingMessage,
): Promise<{ description?: string; metadata?: string; min_version?: string }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
}

let count = 0;
const fixed = JSON.stringify({
  id: "",
  created_at: new Date().toISOString(),
  description: "",
  metadata: "",
  rest: "",
}).length;

async function answer(things: readonly Things[], request: IncomingMessage): Promise<string> {
  const url = new URL(request.url as string, "http://floor");
  const { path, listKey, bytes, rows } = things.find((one) => url.pathname.startsWith(one.path)) as Things;
  const id = url.pathname.slice(path.length).split("/")[1];
  if (request.method === "GET" && id) return JSON.stringify(await rows.get(id));
  if (request.method === "GET") {
    const found = await rows.newest(url.searchParams.get("before_id") ?? "~");
    const shown = found.slice(0, PAGE);
    const next = found.length > PAGE ? `${path}?before_id=${shown.at(-1)?.id}` : null;
    return JSON.stringify({ [listKey]: shown, uri: path, next_page_uri: next });
  }
  // A PUT has to change something: SQLite writes no row that stays as it is.
  const { min_version = "", description = min_version, metadata = "" } = await bodyOf(request);
  if (id) return JSON.stringify(await rows.update(id, description));
  const newId = `thing_${String(count++).padStart(12, "0")}${randomBytes(8).toString("hex")}`;
  const rest = "x".repeat(Math.max(0, bytes - fixed - newId.length - description.length - metadata.length));
  const row = { id: newId, created_at: new Date().toISOString(), description, metadata, rest };
  await rows.insert(row);
  return JSON.stringify(row);
}

async function main(): Promise<void> {
  const tables = kind === "postgres" ? await postgres() : sqlite(kind === "group commit");
  const things: Things[] = [];
  for (const [index, { path, listKey }] of SUBJECTS.entries())
    things.push({ path, listKey, bytes: Number(sizes[index]), rows: await tables(listKey) });
  const server = createServer((request, response) => {
    answer(things, request).then(
      (json) =>
        response
          .writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(json) })
          .end(json),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  server.listen(0, "127.0.0.1", () =>
    process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
  );
}

main().catch((error: Error) => {
  console.error(error.stack);
  process.exit(1);
});

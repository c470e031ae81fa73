import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Pool } from "pg";

/**
 * The floor: the same answers at the lowest cost, from node:http and a database, without keys, validation, references and
 * logs. Run as `floor.ts <kind> <place> <bytes>`.
 */
const [kind, place, bytes] = process.argv.slice(2) as ["one by one" | "group commit" | "postgres", string, string];

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

const TABLE = (id: string) =>
  `create table thing (id ${id} primary key not null, created_at text, description text, metadata text, rest text)`;
const PAGE = 100;

function sqlite(grouped: boolean): Rows {
  const database = new DatabaseSync(join(place, "floor.db"));
  database.exec(`pragma journal_mode = wal; pragma synchronous = full; ${TABLE("text")}`);
  const one = database.prepare("select * from thing where id = ?");
  const page = database.prepare(`select * from thing where id < ? order by id desc limit ${PAGE + 1}`);
  const add = database.prepare("insert into thing values (?, ?, ?, ?, ?)");
  const change = database.prepare("update thing set description = ? where id = ?");
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
  return {
    get: (id) => one.get(id) as unknown as Row,
    newest: (before) => page.all(before) as unknown as Row[],
    insert: (row) => write(() => void add.run(row.id, row.created_at, row.description, row.metadata, row.rest)),
    update: (id, description) =>
      write(() => {
        const row = { ...(one.get(id) as unknown as Row), description };
        change.run(description, id);
        return row;
      }),
  };
}

async function postgres(): Promise<Rows> {
  const pool = new Pool({ connectionString: place, max: 10 });
  await pool.query(TABLE('text collate "C"')); // in the order of bytes, as on SQLite
  const find = async (text: string, values: unknown[]) => (await pool.query<Row>({ name: text, text, values })).rows;
  return {
    get: async (id) => (await find("select * from thing where id = $1", [id]))[0] as Row,
    newest: (before) => find(`select * from thing where id < $1 order by id desc limit ${PAGE + 1}`, [before]),
    insert: async (row) => {
      await find("insert into thing values ($1, $2, $3, $4, $5)", [row.id, row.created_at, row.description, row.metadata, row.rest]);
    },
    update: async (id, description) => {
      const client = await pool.connect();
      try {
        await client.query("begin");
        const text = "select * from thing where id = $1 for update";
        const { rows } = await client.query<Row>({ name: text, text, values: [id] });
        const change = "update thing set description = $1 where id = $2";
        await client.query({ name: change, text: change, values: [description, id] });
        await client.query("commit");
        return { ...(rows[0] as Row), description };
      } finally {
        client.release();
      }
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<{ description?: string; metadata?: string }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
}

let count = 0;
const fixed = JSON.stringify({ id: "", created_at: new Date().toISOString(), description: "", metadata: "", rest: "" }).length;

async function answer(rows: Rows, request: IncomingMessage): Promise<string> {
  const url = new URL(request.url as string, "http://floor");
  const id = url.pathname.split("/")[3];
  if (request.method === "GET" && id) return JSON.stringify(await rows.get(id));
  if (request.method === "GET") {
    const found = await rows.newest(url.searchParams.get("before_id") ?? "~");
    const shown = found.slice(0, PAGE);
    const next = found.length > PAGE ? `/edges/tls?before_id=${shown.at(-1)?.id}` : null;
    return JSON.stringify({ tls_edges: shown, uri: "/edges/tls", next_page_uri: next });
  }
  const { description = "put", metadata = "" } = await bodyOf(request);
  if (id) return JSON.stringify(await rows.update(id, description));
  const newId = `thing_${String(count++).padStart(12, "0")}${randomBytes(8).toString("hex")}`;
  const rest = "x".repeat(Math.max(0, Number(bytes) - fixed - newId.length - description.length - metadata.length));
  const row = { id: newId, created_at: new Date().toISOString(), description, metadata, rest };
  await rows.insert(row);
  return JSON.stringify(row);
}

async function main(): Promise<void> {
  const rows = kind === "postgres" ? await postgres() : sqlite(kind === "group commit");
  const server = createServer((request, response) => {
    answer(rows, request).then(
      (json) => response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(json) }).end(json),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  server.listen(0, "127.0.0.1", () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
}

main().catch((error: Error) => {
  console.error(error.stack);
  process.exit(1);
});

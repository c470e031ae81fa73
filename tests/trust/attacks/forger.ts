import { runOn } from "../../support/commandLine";
import { execute, type Row, rowsIn, type Start, settled } from "../../support/databases";

/** The tables that tests tamper with. Others refer to the rows of `resource`. */
const TABLES = ["audit_event", "audit_head", "event", "inbox", "resource"];
const isUrl = (data: string) => data.startsWith("postgres:");

/** The first step of an attacker who may change tables: removes the trigger that protects the log. */
export const unguard = (data: string): Promise<void> =>
  execute(
    data,
    isUrl(data)
      ? "alter table audit_event disable trigger all"
      : "drop trigger if exists audit_event_no_update; drop trigger if exists audit_event_no_delete",
  );

export const literal = (value: unknown): string => {
  if (value === null) return "null";
  return typeof value === "number" ? String(value) : `'${String(value).replaceAll("'", "''")}'`;
};
export const insert = (table: string, row: Row): string =>
  `insert into ${table} (${Object.keys(row)}) values (${Object.values(row).map(literal)});`;
export const update = (table: string, values: Row, where: string): string =>
  `update ${table} set ${Object.entries(values).map(([name, value]) => `${name} = ${literal(value)}`)} where ${where};`;

export const rowOf = async (data: string, statement: string): Promise<Row> =>
  (await rowsIn(data, statement))[0] as Row;
export const headOf = async (data: string) => {
  await settled(data);
  const { sequence, hash, mac } = await rowOf(data, "select * from audit_head");
  return { sequence: Number(sequence), hash, mac };
};

export const expectWhole = async (data: string, ...args: string[]): Promise<string> => {
  const { code, out, err } = await runOn(data, "audit", "verify", ...args);
  expect(code, err).to.equal(0);
  return out;
};

export const expectFound = async (data: string, words: string | RegExp, ...args: string[]): Promise<void> => {
  const { code, out, err } = await runOn(data, "audit", "verify", ...args);
  expect([code, out], err).to.deep.equal([1, ""]);
  if (typeof words === "string") expect(err).to.include(words);
  else expect(err).to.match(words);
};

/** Tampers with tables, checks that `audit verify` reports it, and puts every row back. */
export async function expectTold(data: string, statements: string, words: string | RegExp): Promise<void> {
  const before = await Promise.all(TABLES.map((table) => rowsIn(data, `select * from ${table}`)));
  await execute(data, statements);
  await expectFound(data, words);
  const back: string[] = [];
  for (const [index, table] of TABLES.entries()) {
    const [rows, now] = [before[index] ?? [], await rowsIn(data, `select * from ${table}`)];
    if (table !== "resource") {
      if (JSON.stringify(rows) !== JSON.stringify(now))
        back.push(`delete from ${table};`, ...rows.map((row) => insert(table, row)));
      continue;
    }
    const [were, are] = [rows, now].map((all) => new Map(all.map((row) => [row.id, row])));
    for (const { id } of now) if (!were?.has(id)) back.push(`delete from resource where id = '${id}';`);
    for (const row of rows)
      if (!are?.has(row.id)) back.push(insert(table, row));
      else if (JSON.stringify(row) !== JSON.stringify(are.get(row.id)))
        back.push(update(table, row, `id = '${row.id}'`));
  }
  await execute(data, back.join(" "));
}

/** Starts a server, changes some objects through it, and stops it. */
export async function served(start: Start, data: string): Promise<void> {
  const server = await start({ data });
  const rest = server.rest;
  for (let index = 0; index < 3; index++) await rest.created("/ip_policies", {});
  await server.stop();
}

import { bringBackTimes, WAITED_FOR } from "../../server/src/start/times";
import type { Store } from "../../server/src/storage";
import { openStore } from "../../server/src/storage/open";
import { DATABASES, execute, optionsOf, rowsIn, tablesIn } from "../support/databases";

const HOUR_MS = 60 * 60_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

/** Tables whose times nothing waits for: they only tell when, a user chose them, or they are signed. */
const TELLING = [
  ...["audit_event", "changeset", "endpoint", "event", "inbox", "principal", "resource", "sealing_key"],
  ...["tunnel", "tunnel_session", "kysely_migration"],
];
/** Those of deliveries, which have a repair of their own; see tests/events. */
const OF_EVENTS = ["delivery"];
const TELLS_ONLY = [
  ...["acme_order.started_at", "acme_order.renews_at", "guarantee_state.judged_at", "session.created_at"],
  ...["guarantee_state.ends_at", "ending.at"], // ends that users choose
];

interface Column {
  readonly name: string;
  readonly type: string;
  readonly needed: boolean;
}

async function columnsOf(data: string, table: string): Promise<Column[]> {
  const isUrl = data.startsWith("postgres:");
  const rows = await rowsIn(
    data,
    isUrl
      ? `select column_name as name, data_type as type, is_nullable = 'NO' and column_default is null as needed
         from information_schema.columns where table_schema = 'public' and table_name = '${table}'`
      : `select name, type, "notnull" and dflt_value is null as needed from pragma_table_info('${table}')`,
  );
  return rows.map(({ name, type, needed }) => ({ name, type, needed: Boolean(needed) }));
}

for (const database of DATABASES)
  describe(`On ${database.name}: A stored time`, () => {
    let data: string;
    let store: Store;
    before(async () => {
      data = await database.create();
      store = await openStore({ ...optionsOf(data), databasePool: 2 });
    });
    after(() => store.close());

    it("is known to make something wait, or not to", async () => {
      const known = new Set([...WAITED_FOR.map(({ table, column }) => `${table}.${column}`), ...TELLS_ONLY]);
      const unknown: string[] = [];
      for (const table of await tablesIn(data)) {
        if ([...TELLING, ...OF_EVENTS].includes(table)) continue;
        for (const { name } of await columnsOf(data, table))
          if (/(?:_at|_until|_since|_seen)$|^(?:at|until|hour)$/.test(name)) {
            if (!known.has(`${table}.${name}`)) unknown.push(`${table}.${name}`);
          }
      }
      expect(unknown, "columns that start/times.ts or this file must name").to.deep.equal([]);
    });

    for (const { table, column, ahead, becomes, as } of WAITED_FOR)
      it(`is brought back if it lies too far ahead, and left alone otherwise: ${table}.${column}`, async () => {
        const now = Date.now();
        const written = (ms: number) => (as === "text" ? `'${new Date(ms).toISOString()}'` : `${ms}`);
        const columns = await columnsOf(data, table);
        const put = async (ms: number) => {
          const values = columns
            .filter(({ name, needed }) => needed || name === column)
            .map(({ name, type }) => ({
              name,
              value: name === column ? written(ms) : /int/i.test(type) ? "1" : "'x'",
            }));
          const off = data.startsWith("postgres:")
            ? "set session_replication_role = replica"
            : "pragma foreign_keys = off";
          const names = values.map(({ name }) => `"${name}"`).join(", ");
          const row = values.map(({ value }) => value).join(", ");
          await execute(
            data,
            `${off}; delete from ${table}; insert into ${table} (${names}) values (${row})`,
          );
        };
        const found = async () => {
          const [row] = await rowsIn(data, `select ${column} as at from ${table}`);
          return as === "text" ? Date.parse(row?.at) : Number(row?.at);
        };
        for (const far of [30 * HOUR_MS, 10 * YEAR_MS]) {
          await put(now + far);
          await bringBackTimes(store);
          const least = becomes === "now" ? now : now + ahead;
          expect(await found(), "far ahead").to.be.within(least - 1000, least + 60_000);
        }
        for (const right of [ahead, -30 * HOUR_MS, -10 * YEAR_MS]) {
          await put(now + right);
          await bringBackTimes(store);
          expect(await found(), "as it may be").to.equal(now + right);
        }
      });

    it("that ends something by a user's wish may lie at any distance", async () => {
      const end = Date.now() + 10 * YEAR_MS;
      await execute(
        data,
        `delete from guarantee_state; insert into guarantee_state
         (guarantee_id, project_id, touched, judged, due_at, ends_at) values
         ('one', 'x', 1, 1, ${end}, ${end})`.replace(
          /^/,
          data.startsWith("postgres:")
            ? "set session_replication_role = replica; "
            : "pragma foreign_keys = off; ",
        ),
      );
      await bringBackTimes(store);
      const [row] = await rowsIn(data, "select due_at from guarantee_state");
      expect(Number(row?.due_at)).to.equal(end);
    });
  });

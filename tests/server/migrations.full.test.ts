import { expect } from "chai";
import { MIGRATIONS, migrate } from "../../server/src/storage/migrate";
import { connectTo } from "../../server/src/storage/open";
import { contentOf, onEveryDatabase, rowsIn, tablesIn } from "../support/databases";
import { Rest } from "../support/rest";
import type { ServerProcess } from "../support/server";

const [FIRST = "", ...LATER] = Object.keys(MIGRATIONS);
const optionsOf = (data: string) =>
  data.startsWith("postgres:") ? { data: "", databaseUrl: data } : { data };
const inDatabase = async (data: string, ...options: Parameters<typeof migrate>[1][]): Promise<void> => {
  const db = connectTo(optionsOf(data));
  try {
    for (const option of options) await migrate(db, option);
  } finally {
    await db.destroy();
  }
};
const applied = async (data: string): Promise<unknown[]> =>
  ((await rowsIn(data, "select name from kysely_migration order by name")) as { name: string }[]).map(
    ({ name }) => name,
  );

// biome-ignore lint/suspicious/noExplicitAny: Kysely's, whatever the tables
const createTable = (db: any, name: string) => db.schema.createTable(name).addColumn("id", "text").execute();

onEveryDatabase("An upgrade of the database", (start, database) => {
  it("by servers that start at the same time happens once, and all of them serve", async () => {
    const data = await database.create();
    await inDatabase(data, { to: FIRST });
    const servers = await Promise.all(Array.from({ length: 4 }, () => start({ data })));
    try {
      for (const { url, apiKey } of servers)
        expect((await new Rest(url, apiKey).post("/ip_policies", {})).status).to.equal(201);
      expect(await applied(data)).to.deep.equal([FIRST, ...LATER]);
    } finally {
      for (const server of servers) await server.stop();
    }
  });

  it("that fails half-way changes nothing, and a server of the old version goes on", async () => {
    const data = await database.create();
    const server = await start({ data });
    try {
      const [tables, content] = [await tablesIn(data), await contentOf(data)];
      const migrations = {
        ...MIGRATIONS,
        // biome-ignore lint/suspicious/noExplicitAny: Kysely's, whatever the tables
        "998_good": { up: (db: any) => createTable(db, "good") },
        "999_bad": {
          // biome-ignore lint/suspicious/noExplicitAny: Kysely's, whatever the tables
          up: async (db: any) => {
            await createTable(db, "half");
            await db.updateTable("resource").set({ version: 99 }).execute();
            await createTable(db, "resource");
          },
        },
      };
      expect(String(await inDatabase(data, { migrations }).catch(String))).to.contain("already exists");
      expect(await tablesIn(data)).to.deep.equal(tables);
      expect(await contentOf(data)).to.deep.equal(content);
      expect(await applied(data)).to.deep.equal([FIRST, ...LATER]);
      expect((await new Rest(server.url, server.apiKey).post("/ip_policies", {})).status).to.equal(201);
    } finally {
      await server.stop();
    }
  });

  it("to a newer version is not undone: an older server refuses to start, names both versions and changes nothing", async () => {
    const data = await database.create();
    await inDatabase(data, {
      // biome-ignore lint/suspicious/noExplicitAny: Kysely's, whatever the tables
      migrations: { ...MIGRATIONS, "999_later": { up: (db: any) => createTable(db, "later") } },
    });
    const [tables, content] = [await tablesIn(data), await contentOf(data)];
    const refusal = await start({ data }).then(
      (server: ServerProcess) => server.stop().then(() => "started"),
      (error: Error) => error.message,
    );
    expect(refusal)
      .to.contain("ended with 1")
      .and.to.contain("has schema 999_later")
      .and.to.contain(`knows schemas up to ${LATER.at(-1)} only`)
      .and.to.contain("use that version or a later one")
      .and.not.to.match(/\n\s+at /);
    expect(await tablesIn(data)).to.deep.equal(tables);
    expect(await contentOf(data)).to.deep.equal(content);
  });
});

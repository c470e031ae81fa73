import { join } from "node:path";
import { MIGRATIONS, migrate } from "../../server/src/storage/migrate";
import { connectTo } from "../../server/src/storage/open";
import { runOn } from "../support/commandLine";
import type { Database, Start } from "../support/databases";
import { contentOf, onEveryDatabase, optionsOf, rowsIn, tablesIn } from "../support/databases";
import { newFolder } from "../support/folder";
import type { Rest } from "../support/rest";
import type { ServerProcess } from "../support/server";

const NOW = Object.keys(MIGRATIONS);
// biome-ignore lint/suspicious/noExplicitAny: Kysely's, whatever the tables
type Db = any;
const createTable = (db: Db, name: string) => db.schema.createTable(name).addColumn("id", "text").execute();
/** As a later version has it. */
const LATER = {
  ...MIGRATIONS,
  "998_later": {
    up: async (db: Db) => {
      await createTable(db, "later");
      await db.schema
        .alterTable("resource")
        .addColumn("later", "text", (column: Db) => column.defaultTo("x"))
        .execute();
    },
  },
};
const BROKEN = {
  ...LATER,
  "999_broken": {
    up: async (db: Db) => {
      await createTable(db, "half");
      await db.updateTable("resource").set({ version: 99 }).execute();
      await createTable(db, "resource");
    },
  },
};

async function upgrade(data: string, migrations: typeof MIGRATIONS): Promise<void> {
  const db = connectTo(optionsOf(data));
  await migrate(db, { migrations }).finally(() => db.destroy());
}
const applied = async (data: string) =>
  (await rowsIn(data, "select name from kysely_migration order by name")).map(({ name }) => name);
const everythingIn = async (data: string) => [
  await tablesIn(data),
  await contentOf(data),
  await applied(data),
];

onEveryDatabase("An upgrade of the database", (start: Start, database: Database) => {
  let data: string;
  let server: ServerProcess;
  let rest: Rest;
  beforeEach("start a server on a database of this version", async () => {
    data = await database.create();
    server = await start({ data });
    rest = server.rest;
    expect((await rest.post("/ip_policies", { description: "from before" })).status).to.equal(201);
  });
  afterEach(() => server.stop());

  it("that fails half-way changes nothing, and a server of the old version goes on", async () => {
    const before = await everythingIn(data);
    expect(String(await upgrade(data, BROKEN).catch(String))).to.contain("already exists");
    expect(await everythingIn(data)).to.deep.equal(before);
    expect((await rest.post("/ip_policies", {})).status).to.equal(201);
  });

  it("keeps everything, and is done once; this version refuses to start on it, and a backup leads back", async () => {
    const backup = join(newFolder(), "before.backup");
    const answered = (await rest.get("/ip_policies")).body.ip_policies;
    await server.stop();
    expect(await runOn(data, "backup", backup)).to.include({ code: 0 });
    const before = await contentOf(data);
    for (const _ of ["first", "again"]) await upgrade(data, LATER);
    expect(await applied(data)).to.deep.equal([...NOW, "998_later"]);
    expect(await rowsIn(data, "select id from resource where later = 'x'")).to.have.length(2);
    const { resource: _, later, ...kept } = await contentOf(data);
    expect(later).to.deep.equal([]);
    expect({ ...kept, resource: before.resource }).to.deep.equal(before);
    const upgraded = await everythingIn(data);
    const refusal = await start({ data }).then(
      (one) => one.stop().then(() => "started"),
      (error: Error) => error.message,
    );
    for (const part of [
      ...["ended with 1", "has schema 998_later", `knows schemas up to ${NOW.at(-1)} only`],
      "use that version or a later one",
    ])
      expect(refusal).to.contain(part);
    expect(refusal).not.to.match(/\n\s+at /);
    expect(await everythingIn(data)).to.deep.equal(upgraded);
    const back = await database.create();
    expect(await runOn(back, "restore", backup)).to.include({ code: 0 });
    expect(await contentOf(back)).to.deep.equal(before);
    server = await start({ data: back });
    rest = server.rest;
    const uris = (all: { uri: string }[]) => all.map((one) => ({ ...one, uri: new URL(one.uri).pathname }));
    expect(uris((await rest.get("/ip_policies")).body.ip_policies)).to.deep.equal(uris(answered));
  });
});

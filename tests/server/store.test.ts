import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { openStore } from "../../server/src/storage/open";
import { insertion } from "../../server/src/storage/statement";
import type { Store } from "../../server/src/storage/store";
import { pipelined } from "../../server/src/util";
import { DATABASES, rowsIn } from "../support/databases";

/** Another process that holds the only lock of a new file for a while. */
const HOLDER = `
  const database = new (require("node:sqlite").DatabaseSync)(process.argv[1]);
  database.exec("begin immediate; create table held (a); drop table held");
  console.log("held");
  setTimeout(() => database.exec("commit"), 300);
`;

const insertSetting = insertion("setting", ["name", "value"]);

for (const database of DATABASES) {
  describe(`On ${database.name}: A store`, () => {
    let data: string;
    let store: Store;

    before(async () => {
      data = await database.create();
      const databaseUrl = data.startsWith("postgres:") ? data : undefined;
      store = await openStore({ data, databaseUrl, databasePool: 2 });
    });

    after(() => store.close());

    const set = (name: string) =>
      store.write((transaction) => insertSetting(transaction, { name, value: "" }));
    const names = async () =>
      ((await rowsIn(data, "select name from setting order by name")) as { name: string }[]).map(
        ({ name }) => name,
      );

    it("keeps nothing of a change if a part fails, also nothing of parts that end later", async () => {
      const before = await names();
      const failed = store.write((transaction) => {
        const slow = async () => {
          for (const step of ["first", "second", "third"])
            await insertSetting(transaction, { name: step, value: "" });
        };
        return pipelined([slow(), Promise.reject(new Error("refused"))]);
      });
      const other = set("other");
      expect(await failed.catch((error: Error) => error.message)).to.equal("refused");
      await other;
      expect(await names()).to.deep.equal([...before, "other"].sort());
    });
  });
}

describe("A new SQLite file that another process is creating", () => {
  it("is opened as soon as that process lets go of it", async () => {
    const data = (await DATABASES[0]?.create()) ?? "";
    mkdirSync(data, { recursive: true });
    const holder = spawn(process.execPath, ["-e", HOLDER, join(data, "tunnelplane.db")], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(holder, "close");
    await once(holder.stdout, "data");
    const store = await openStore({ data, databasePool: 2 });
    await store.write((transaction) => insertSetting(transaction, { name: "first", value: "" }));
    await store.close();
    expect(await ended).to.deep.equal([0, null]);
    expect(await rowsIn(data, "select name from setting where name = 'first'")).to.have.length(1);
  });
});

import { expect } from "chai";
import { openStore } from "../../server/src/storage/open";
import { insertion, pipelined } from "../../server/src/storage/statement";
import type { Store } from "../../server/src/storage/store";
import { DATABASES, rowsIn } from "../support/databases";

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

import { expect } from "chai";
import { KeyUses } from "../../../server/src/auth";
import type { Store } from "../../../server/src/storage";

describe("The last uses of API keys", () => {
  let writes = 0;
  const uses = new KeyUses({
    write: () => Promise.resolve(writes++),
  } as unknown as Store);

  it("are written once an hour for each key, and again where too many keys are used to remember all", async () => {
    uses.note("ak_1");
    await uses.write();
    uses.note("ak_1");
    await uses.write();
    expect(writes).to.equal(1);
    for (let number = 2; number < 30_000; number++) uses.note(`ak_${number}`);
    await uses.write();
    uses.note("ak_1");
    await uses.write();
    expect(writes).to.equal(3);
  });
});

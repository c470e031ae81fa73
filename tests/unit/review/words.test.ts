import { exposureOf } from "@tunnelplane/sdk/meaning";
import { changedAspects } from "../../../provider/src/review/reviewTexts";
import { agent, edge, world } from "../meaning/worlds";

describe("The table of an address in a review", () => {
  it("names the credentials that may serve it, and counts those that the reader may not see", () => {
    const [row] = exposureOf(world(agent, edge()));
    if (!row) throw new Error("the world has an edge");
    const [credential] = row.served_by.credentials;
    const servedBy = (credentials: object[], others: number) => {
      const after = { ...row, served_by: { credentials, others } } as typeof row;
      const aspects = changedAspects({ address: row.address, offStack: false, before: null, after });
      return aspects.find(({ name }) => name === "Served by")?.after;
    };
    expect(servedBy([], 0)).to.equal("nobody that is known");
    expect(servedBy([], 1)).to.equal("1 other");
    expect(servedBy(credential ? [credential] : [], 2)).to.equal(`${credential?.name}, 2 others`);
  });
});

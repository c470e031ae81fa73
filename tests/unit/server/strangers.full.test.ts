import { Strangers } from "../../../server/src/identities/signin/strangers";

describe("Refused sign-ins of strangers", () => {
  it("have a row each while they are few; one row counts the others of a minute, with reasons", async () => {
    const written: (readonly string[])[] = [];
    const strangers = new Strangers(async (about) => void written.push(about));
    const ownRows = Array.from({ length: 1000 }, (_, index) => strangers.hasRow([`reason ${index % 40}`]));
    expect(ownRows.filter(Boolean)).to.have.length(30);
    expect(written).to.deep.equal([]);
    await strangers.close();
    expect(written).to.have.length(1);
    expect(written[0]?.[0]).to.equal("970 more by strangers");
    expect(written[0]).to.have.length(11);
    await strangers.close();
    expect(written, "nothing is counted twice").to.have.length(1);
    expect(strangers.hasRow(["again"])).to.equal(true);
    await strangers.close();
  });
});

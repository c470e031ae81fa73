import { newId } from "../../../sdk/src/contract/core/newId";

describe("A new id", () => {
  it("is its prefix and 27 characters", () => {
    expect(newId("edgtls")).to.match(/^edgtls_[0-9A-Za-z]{27}$/);
  });

  it("sorts after all earlier ones, also within a millisecond", () => {
    const now = Date.now();
    const ids = Array.from({ length: 1000 }, (_, index) => newId("op", now + Math.floor(index / 400)));
    expect([...ids].sort()).to.deep.equal(ids);
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it("sorts after all earlier ones even if the clock was set back", () => {
    const before = newId("op", Date.now() + 60_000);
    expect(newId("op", Date.now() - 60_000) > before).to.equal(true);
  });
});

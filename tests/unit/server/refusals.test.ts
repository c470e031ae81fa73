import { refusalOf } from "../../../server/src/exposure/guarantees/refusals";

describe("Guarantees that one change breaks together", () => {
  it("are named in the order of their descriptions, whichever was made first", () => {
    const broken = (description: string, index: number) => ({
      index,
      reason: "a route is not known",
      guarantee: { id: `grnt_${index}`, fields: { description, expect: "refused", addresses: ["*:*"] } },
    });
    for (const made of [
      ["metrics", "admin", "outside"],
      ["outside", "metrics", "admin"],
    ]) {
      const { message, options } = refusalOf(made.map(broken));
      expect(message).to.match(/^The guarantee grnt_\d \("admin"\) would not hold any more/);
      const named = options.guarantees?.map(({ description }) => description);
      expect(named).to.deep.equal(["admin", "metrics", "outside"]);
    }
  });
});

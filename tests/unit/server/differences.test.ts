import { expect } from "chai";
import { differences } from "../../../server/src/journal/differences";

describe("What differs between two objects", () => {
  it("is told by the path of each field, with what it was and is", () => {
    const before = { description: "a", labels: { "a-b": 1, c: 2 }, module: { enabled: true, version: "1.2" } };
    const after = { description: "a", labels: { "a-b": 1, c: 3 }, module: { enabled: true, version: "1.3" } };
    expect(differences(before, after)).to.deep.equal([
      { path: "labels.c", old: 2, new: 3 },
      { path: "module.version", old: "1.2", new: "1.3" },
    ]);
  });

  it("says null where something is not set on one side", () => {
    expect(differences({ a: 1 }, { b: 2 })).to.deep.equal([
      { path: "a", old: 1, new: null },
      { path: "b", old: null, new: 2 },
    ]);
  });

  it("compares lists as a whole, and finds nothing where they are equal", () => {
    expect(differences({ list: [{ a: 1 }] }, { list: [{ a: 1 }] })).to.deep.equal([]);
    expect(differences({ list: [1, 2] }, { list: [2, 1] })).to.deep.equal([{ path: "list", old: [1, 2], new: [2, 1] }]);
  });
});

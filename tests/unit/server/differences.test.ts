import { expect } from "chai";
import { differences } from "../../../server/src/journal/differences";

describe("The difference of two objects", () => {
  it("lists the path of each changed field, with its old and new value", () => {
    const before = {
      description: "a",
      labels: { "a-b": 1, c: 2 },
      module: { enabled: true, version: "1.2" },
    };
    const after = { description: "a", labels: { "a-b": 1, c: 3 }, module: { enabled: true, version: "1.3" } };
    expect(differences(before, after)).to.deep.equal([
      { path: "labels.c", old: 2, new: 3 },
      { path: "module.version", old: "1.2", new: "1.3" },
    ]);
  });

  it("shows null for a field that is not set on one side", () => {
    expect(differences({ a: 1 }, { b: 2 })).to.deep.equal([
      { path: "a", old: 1, new: null },
      { path: "b", old: null, new: 2 },
    ]);
  });

  it("compares lists as a whole, and is empty for equal ones", () => {
    expect(differences({ list: [{ a: 1 }] }, { list: [{ a: 1 }] })).to.deep.equal([]);
    expect(differences({ list: [1, 2] }, { list: [2, 1] })).to.deep.equal([
      { path: "list", old: [1, 2], new: [2, 1] },
    ]);
  });
});

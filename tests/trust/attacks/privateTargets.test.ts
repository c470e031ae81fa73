import { isPublic } from "../../../server/src/util/addresses";
import { tableOf } from "../../support/table";

type Table = { readonly hidden: Readonly<Record<string, string>>; readonly public: string };
const { hidden, public: shown } = tableOf<Table>(__dirname, "addresses.yaml");

describe("An address is not on the internet", () => {
  for (const [name, addresses] of Object.entries(hidden)) {
    it(`that is ${name}`, () => {
      for (const address of addresses.split(" ")) expect(isPublic(address), address).to.equal(false);
    });
  }

  it("unless it is the address of a public host", () => {
    for (const address of shown.split(" ")) expect(isPublic(address), address).to.equal(true);
  });
});

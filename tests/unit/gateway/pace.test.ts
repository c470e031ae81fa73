import { expect } from "chai";
import { Pace } from "../../../gateway/src/agents/pace";

describe("Key exchanges that ask to begin at once", () => {
  let pace: Pace;
  let begun: string[];
  beforeEach(() => {
    pace = new Pace();
    begun = [];
  });
  afterEach(() => pace.close());
  const ask = (address: string, times: number) => {
    for (let time = 0; time < times; time++) pace.wait(address, () => begun.push(address));
  };

  it("begin three at a time for one address, and others need not wait for its next ones", () => {
    ask("192.0.2.1", 10);
    ask("192.0.2.2", 1);
    expect(begun).to.deep.equal(["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2"]);
  });

  it("begin twenty at a time in all", () => {
    for (let host = 1; host <= 30; host++) ask(`192.0.2.${host}`, 1);
    expect(begun).to.have.length(20);
  });
});

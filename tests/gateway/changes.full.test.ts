import { compareAccess, decisions, findingsOf } from "@tunnelplane/sdk/meaning";
import { expect } from "chai";
import { trialOfThisFile } from "../support/trial";
import { CHANGES } from "../unit/meaning/changes";

describe("Envoy does before and after a change what the comparison and the findings say, where", () => {
  const trial = trialOfThisFile();

  for (const [change, before, after] of CHANGES)
    it(change, async () => {
      const { opened, closed, moved } = compareAccess(before, after);
      const found = [...opened, ...closed, ...moved, ...findingsOf(before, after)];
      const anyway = ["www", "app"].map((name) => ({
        address: `${name}.example.com:443`,
        from: "198.51.100.7",
      }));
      const requests = [...anyway, ...found.flatMap(({ example }) => example?.request ?? [])];
      for (const world of [before, after]) {
        await trial.now.serve(world);
        const decider = decisions(world);
        for (const request of requests) {
          const [said, answer] = [decider.decide(request), await trial.now.ask(request)];
          expect(trial.now.agrees(said, answer), JSON.stringify({ request, said, answer })).to.equal(true);
        }
      }
    });
});

import {
  type AccessChange,
  type AccessComparison,
  compareAccess,
  type Decision,
  decisions,
  isLetIn,
  type World,
} from "@tunnelplane/sdk/meaning";
import { expect } from "chai";
import fc from "fast-check";
import { figure, LIMIT_MS, size } from "../../support/size";
import { change, request } from "./generatedWorlds";

const RUNS = { seed: 20261123, numRuns: size(1_000, 20_000) };
const requests = fc.array(request, { minLength: 20, maxLength: 20 });

describe("the proof of what a change lets in", function () {
  this.timeout(LIMIT_MS);

  it("misses no request that opens, closes or moves, among requests at random", () => {
    const seen = { opens: 0, "opens nothing": 0, unproved: 0, combinations: 0, changed: 0 };
    fc.assert(
      fc.property(change, requests, ([before, after], all) => {
        const comparison = compareAccess(before, after);
        seen[comparison.verdict]++;
        seen.combinations += comparison.combinations;
        const [was, is] = [decisions(before), decisions(after)];
        for (const one of all) {
          const [past, present] = [was.decide(one), is.decide(one)];
          const kind = kindOf(past, present);
          if (!kind) continue;
          seen.changed++;
          const said = `${kind}: ${JSON.stringify(one)} ${past.sentence} → ${present.sentence}`;
          expect(isTold(comparison, kind, past, present), said).to.equal(true);
        }
      }),
      RUNS,
    );
    figure(`${JSON.stringify(seen)} of ${RUNS.numRuns} changes`);
    expect(seen.unproved / RUNS.numRuns).to.be.below(0.02);
  });

  it("gives examples that are true", () => {
    fc.assert(
      fc.property(change, ([before, after]) => {
        const { opened, closed, moved, verdict } = compareAccess(before, after);
        const [was, is] = [decisions(before), decisions(after)];
        expect(verdict === "opens").to.equal(opened.length > 0);
        const truly = (changes: readonly AccessChange[], past: boolean, present: boolean) => {
          for (const { example } of changes) {
            expect(example.before).to.eql(was.decide(example.request));
            expect(example.after).to.eql(is.decide(example.request));
            expect([isLetIn(example.before), isLetIn(example.after)]).to.eql([past, present]);
          }
        };
        truly(opened, false, true);
        truly(closed, true, false);
        truly(moved, true, true);
      }),
      { ...RUNS, numRuns: size(200, 4_000) },
    );
  });

  it("is the same whatever the order of the objects is", () => {
    const reversed = ({ objects }: World): World => ({ objects: [...objects].reverse() });
    fc.assert(
      fc.property(change, ([before, after]) => {
        expect(compareAccess(reversed(before), reversed(after))).to.eql(compareAccess(before, after));
      }),
      { ...RUNS, numRuns: size(100, 2_000) },
    );
  });
});

function kindOf(before: Decision, after: Decision): "opened" | "closed" | "moved" | undefined {
  if (isLetIn(before) !== isLetIn(after)) return isLetIn(after) ? "opened" : "closed";
  return isLetIn(before) && before.status !== after.status ? "moved" : undefined;
}

/** Whether the comparison says so of what lets the request in, or that it does not know. */
const isTold = (
  comparison: AccessComparison,
  kind: "opened" | "closed" | "moved",
  before: Decision,
  after: Decision,
): boolean =>
  comparison.unproved.length > 0 ||
  comparison[kind].some(
    ({ address, was }) =>
      (!isLetIn(before) || was === before.address) && (!isLetIn(after) || address === after.address),
  );

import type { AccessComparison, Decision, Finding, World } from "@tunnelplane/sdk/meaning";
import { compareAccess, decisions, exposureOf, findingsOf, isLetIn } from "@tunnelplane/sdk/meaning";
import fc from "fast-check";
import { figure, LIMIT_MS, size } from "../../support/size";
import { request } from "./generatedRequests";
import { change } from "./generatedWorlds";

const RUNS = { seed: 20261123, numRuns: size(1_000, 20_000) };
const requests = fc.array(request, { minLength: 20, maxLength: 20 });

describe("the proof of what a change lets in", function () {
  this.timeout(LIMIT_MS);

  it("misses no request that changes, gives true examples, has a finding for all that opens, and depends on no order", () => {
    const seen = { opens: 0, "opens nothing": 0, unproved: 0, combinations: 0, changed: 0, everyone: 0 };
    const reversed = ({ objects }: World): World => ({ objects: [...objects].reverse() });
    let runs = 0;
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
        const { opened, closed, moved, verdict } = comparison;
        expect(verdict === "opens").to.equal(opened.length > 0);
        for (const [changes, past, present] of [
          [opened, false, true],
          [closed, true, false],
          [moved, true, true],
        ] as const)
          for (const { example } of changes) {
            expect(example.before).to.eql(was.decide(example.request));
            expect(example.after).to.eql(is.decide(example.request));
            expect([isLetIn(example.before), isLetIn(example.after)]).to.eql([past, present]);
          }
        if (runs++ % 2 === 0) seen.everyone += expectFindings(opened, findingsOf(before, after));
        if (runs % 10 !== 0) return;
        expect(compareAccess(reversed(before), reversed(after))).to.eql(comparison);
        expect(findingsOf(reversed(before), reversed(after))).to.eql(findingsOf(before, after));
        expect(findingsOf(before, reversed(before))).to.eql([]);
        const rows = exposureOf(after);
        expect(exposureOf(reversed(after))).to.eql(rows);
        expect(new Set(rows.map(({ address }) => address)).size, "one row an address").to.equal(rows.length);
      }),
      RUNS,
    );
    figure(`${JSON.stringify(seen)} of ${RUNS.numRuns} changes`);
    expect(seen.unproved / RUNS.numRuns).to.be.below(0.02);
    expect(seen.everyone).to.be.greaterThan(0);
  });
});

/** Each address that opens has a finding, which is high where everybody may; answers how many those are. */
function expectFindings(opened: AccessComparison["opened"], findings: readonly Finding[]): number {
  for (const { address, was, everyone } of opened) {
    const covering = findings.filter((one) => one.address === address && mayOpen(one));
    const said = `${address} (before: ${was}): ${covering.map(({ rule }) => rule)}`;
    expect(covering, said).to.not.eql([]);
    if (everyone)
      expect(
        covering.some((one) => one.severity === "high" || isOfTools(one)),
        said,
      ).to.equal(true);
  }
  return opened.filter(({ everyone }) => everyone).length;
}

const isOfTools = ({ rule }: Finding): boolean => rule === "tls-lowered" || rule === "user-agents-changed";

/** Whether a rule is about what opens. */
const mayOpen = ({ rule }: Finding): boolean =>
  /^(opened|address-added|.*-(opened|widened|dropped|changed|lowered|unprotected)|authority-added|termination-moved)$/.test(
    rule,
  );

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

import { decisions, evaluateGuarantees, isLetIn, unservable, type World } from "@tunnelplane/sdk/meaning";
import fc from "fast-check";
import { size } from "../support/size";
import { trialOfThisFile } from "../support/trial";
import { furtherRequest } from "../unit/meaning/generatedRequests";
import { furtherWorld } from "../unit/meaning/generatedWorlds";

const SOAK = size(0, 1) === 1;
const carried = fc.constantFrom("any", "none", "required");
/** What somebody could want of these worlds. */
const anyGuarantee = fc.record({
  expect: fc.constantFrom("refused" as const, "refused" as const, "answered" as const),
  addresses: fc.subarray(["*:443", "*:*", "*:443/a", "*.w.test:443", "*:5432"], { minLength: 1 }),
  methods: fc.subarray(["GET", "POST"]),
  networks: fc.constant([]),
  except_networks: fc.subarray(["10.0.0.0/8"]),
  client_certificate: carried,
  token: carried,
  session: carried,
  mode: fc.constant("enforce"),
});

describe("Decisions about requests in generated worlds and a real Envoy", () => {
  const trial = trialOfThisFile();

  it("agree: on each outcome, its status and who answers, on what no gateway can serve, and on requests that break guarantees", async () => {
    const seen = new Map<string, number>();
    const broken = { refused: 0, answered: 0 };
    await fc.assert(
      fc.asyncProperty(
        furtherWorld,
        fc.array(furtherRequest, { minLength: 20, maxLength: 20 }),
        fc.array(anyGuarantee, { minLength: 3, maxLength: 3 }),
        async (world, requests, guarantees) => {
          const edges = await trial.now.serve(world);
          const said = (reasons: string[]) =>
            SOAK ? [...new Set(reasons.map((one) => one.split(":")[0]))] : reasons;
          expect(said(reasonsIn(world))).to.have.members(
            said(
              edges.flatMap(({ id, state, reason }) => (state === "rejected" ? [`${id}: ${reason}`] : [])),
            ),
          );
          const decider = decisions(world);
          for (const request of requests) {
            const said = decider.decide(request);
            seen.set(said.outcome, (seen.get(said.outcome) ?? 0) + 1);
            const answer = await trial.now.ask(request);
            expect(trial.now.agrees(said, answer), JSON.stringify({ request, said, answer, world })).to.equal(
              true,
            );
          }
          for (const [index, { state, example }] of evaluateGuarantees(world, guarantees).entries()) {
            const { expect: wanted } = guarantees[index] ?? { expect: "refused" };
            expect(example === undefined).to.equal(state !== "broken");
            if (!example) continue;
            broken[wanted]++;
            const { request, decision } = example;
            expect(isLetIn(decision)).to.equal(wanted === "refused");
            const answer = await trial.now.ask(request);
            expect(
              trial.now.agrees(decision, answer),
              JSON.stringify({ request, decision, answer, world }),
            ).to.equal(true);
          }
        },
      ),
      { numRuns: size(25, 1500), ...(!SOAK && { seed: 20_261_131 }), endOnFailure: false },
    );
    expect([...seen.keys()].sort()).to.deep.equal([
      "answered",
      "closed",
      "not_found",
      "refused",
      "sign_in",
      "unknown",
      "unserved",
    ]);
    expect(broken.refused).to.be.greaterThan(size(10, 300));
    expect(broken.answered).to.be.greaterThan(size(10, 300));
    expect(seen.get("unknown") ?? 0).to.be.lessThan([...seen.values()].reduce((sum, one) => sum + one) / 20);
  });
});

/** Why edges are not served; of one that is closed as a whole, no hostports. */
function reasonsIn(world: World): string[] {
  const all = unservable(world);
  const closed = new Set(all.flatMap(({ id, hostport }) => (hostport === undefined ? [id] : [])));
  return all
    .filter(({ id, hostport }) => hostport === undefined || !closed.has(id))
    .map(({ id, reason }) => `${id}: ${reason}`);
}

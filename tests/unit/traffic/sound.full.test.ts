import { type DecisionRequest, decisions, isLetIn, type World } from "@tunnelplane/sdk/meaning";
import { replayTraffic, type TrafficLine } from "@tunnelplane/sdk/traffic";
import fc from "fast-check";
import { figure, LIMIT_MS, size } from "../../support/size";
import { request } from "../meaning/generatedRequests";
import { change } from "../meaning/generatedWorlds";
import { trafficLine } from "./lines";

/** What a gateway did not look at, and whether it kept whole addresses. */
const forgotten = fc.record({
  fields: fc.subarray(
    ["client_certificate", "token", "session", "user_agent", "tls", "host", "path"] as const,
    { maxLength: 2 },
  ),
  isWhole: fc.boolean(),
});
type Forgotten = typeof forgotten extends fc.Arbitrary<infer F> ? F : never;
const recorded = fc.array(fc.tuple(request, forgotten), { minLength: 20, maxLength: 20 });

describe("A replay of recorded traffic", function () {
  this.timeout(LIMIT_MS);

  it("says only what is true of the requests themselves, whatever the record leaves out", async () => {
    const seen = { refused: 0, opened: 0, moved: 0, unknown: 0, same: 0 };
    await fc.assert(
      fc.asyncProperty(change, recorded, async ([before, after], all) => {
        const [was, is] = [decisions(before), decisions(after)];
        for (const [asked, left] of all) {
          const line = lineOf(asked, left);
          const fate = await fateOf(line, { before, after });
          seen[fate]++;
          if (fate === "unknown") continue;
          const [letIn, letsIn] = [was, is].map((decider) => isLetIn(decider.decide(asked)));
          const said = JSON.stringify({ asked, line, fate });
          if (fate === "refused") expect([letIn, letsIn], said).to.deep.equal([true, false]);
          else if (fate === "opened") expect([letIn, letsIn], said).to.deep.equal([false, true]);
          else expect(letIn, said).to.equal(letsIn);
          if (fate === "moved") expect(letIn, said).to.equal(true);
        }
      }),
      { seed: 20261124, numRuns: size(200, 5_000) },
    );
    figure(JSON.stringify(seen));
    for (const kind of ["refused", "opened", "moved", "same"] as const)
      expect(seen[kind], kind).to.be.greaterThan(0);
  });
});

type Fate = "refused" | "opened" | "moved" | "unknown" | "same";

async function fateOf(line: TrafficLine, worlds: { before: World; after: World }): Promise<Fate> {
  const { refused, opened, moved, unknown } = await replayTraffic([line], worlds);
  const found = Object.entries({ refused, opened, moved, unknown }).filter(([, count]) => count > 0);
  expect(found).to.have.length.below(2);
  return (found[0]?.[0] ?? "same") as Fate;
}

/** The line that a gateway would write for a request: no header, no claim, no query. */
function lineOf(asked: DecisionRequest, { fields, isWhole }: Forgotten): TrafficLine {
  const { address, from, client_certificate, token, session } = asked;
  const [host = ""] = address.split(":");
  const line = trafficLine({
    address,
    host: asked.host ?? host,
    method: asked.method ?? "GET",
    path: asked.path ?? "/",
    from: isWhole ? from : networkOf(from),
    client_certificate: client_certificate ?? null,
    token: token && typeof token === "object" ? without(token, "claims") : (token ?? null),
    session: session && typeof session === "object" ? without(session, "claims") : (session ?? null),
    user_agent: asked.user_agent ?? null,
    tls: asked.tls === undefined ? "1.3" : asked.tls,
  });
  return { ...line, ...Object.fromEntries(fields.map((name) => [name, "unknown"])) };
}

const networkOf = (address: string): string =>
  address.includes(":")
    ? `${address.split(":").slice(0, 2).join(":")}::/48`
    : `${address.split(".").slice(0, 3).join(".")}.0/24`;

function without<T extends object, K extends keyof T>(value: T, name: K): Omit<T, K> {
  const { [name]: _, ...rest } = value;
  return rest;
}

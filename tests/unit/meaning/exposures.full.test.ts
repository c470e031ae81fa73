import { BlockList } from "node:net";
import { decisions, type Exposure, exposureOf, isLetIn, unservable } from "@tunnelplane/sdk/meaning";
import fc from "fast-check";
import { LIMIT_MS, size } from "../../support/size";
import { change } from "./generatedWorlds";

/** Somebody who asks, without a token or a session. */
const clients = fc.record({
  from: fc.constantFrom("10.0.0.1", "10.1.2.3", "198.51.100.9", "203.0.113.5"),
  authority: fc.constantFrom("a", "b", undefined),
  tls: fc.constantFrom("1.2" as const, "1.3" as const),
  user_agent: fc.constantFrom("curl/8.0", "curl/7.1 bot", "Mozilla/5.0", "other"),
});
type Client = typeof clients extends fc.Arbitrary<infer T> ? T : never;

/** Decisions agree with a real Envoy: tests/gateway/decisions.full.test.ts. */
describe("Exposures of generated worlds", function () {
  this.timeout(LIMIT_MS);

  it("admit whom decisions let in, and nobody else", () => {
    let [tried, admitted] = [0, 0];
    fc.assert(
      fc.property(change, fc.array(clients, { minLength: 3, maxLength: 3 }), ([, world], who) => {
        if (unservable(world).length > 0) return;
        const decider = decisions(world);
        for (const row of exposureOf(world).filter(isUnconditional))
          for (const client of who) {
            const [expected, decision] = [isAdmitted(row, client), decider.decide(requestOf(row, client))];
            tried++;
            if (expected) admitted++;
            expect(isLetIn(decision), JSON.stringify({ row, client, decision })).to.equal(expected);
          }
      }),
      { numRuns: size(500, 10_000), seed: 20261122 },
    );
    expect(admitted).to.be.greaterThan(tried / 20);
    expect(admitted).to.be.lessThan(tried);
  });
});

/** Whether it depends on the client alone. */
const isUnconditional = ({ actions }: Exposure): boolean =>
  !actions.some(({ conditional, type }) => conditional || type === "custom-response");

function requestOf({ address }: Exposure, { authority, ...client }: Client) {
  const [, host = "", port = "", isExact, match = "/"] = /^([^:]+):(\d+)( = )?(.*)$/.exec(address) ?? [];
  return {
    ...client,
    address: `${host.replace("*", "zz")}:${port}`,
    // A longer path than any route has: only the prefix takes it.
    path: isExact ? match : `${match || "/"}zz`,
    tls: port === "443" ? client.tls : null,
    client_certificate: authority ? { authority: `ca_${authority}` } : null,
  };
}

/** What the words of a row mean for a client. */
function isAdmitted(row: Exposure, { from, authority, tls, user_agent }: Client): boolean {
  const { networks, client_certificate: certificate, tls: termination, user_agents, actions } = row;
  if (networks === "nobody" || row.token || row.sign_in) return false;
  if (networks !== "everyone") {
    const list = new BlockList();
    for (const network of networks.v4) {
      const [start = "", bits] = network.split("/");
      list.addSubnet(start, Number(bits ?? 32));
    }
    if (!list.check(from)) return false;
  }
  if (certificate && !certificate.authorities.some(({ subject }) => subject === authority)) return false;
  if (termination.from === "1.3" && tls === "1.2") return false;
  const found = (patterns: readonly string[]) =>
    patterns.some((pattern) => new RegExp(pattern.replace("(?i)", ""), "i").test(user_agent));
  if (user_agents && (found(user_agents.deny) || (user_agents.allow.length > 0 && !found(user_agents.allow))))
    return false;
  return !actions.some(({ direction, type }) => direction === "inbound" && type === "deny");
}

import { type DecisionRequest, decisions, type WorldObject } from "@tunnelplane/sdk/meaning";
import { INHERITED } from "../support/inherited";
import { tableOf } from "../support/table";
import { Issuer } from "./tokens";
import { envoyOfThisFile } from "./traffic";
import { fixed, httpsEdge, jwt, route, to } from "./worlds";

type Claims = Record<string, unknown>;
interface Case {
  readonly name: string;
  readonly claims: Record<string, string[]>;
  readonly admitted: Claims[];
  readonly refused: Claims[];
}

describe("Claims that a route asks of tokens, on a real Envoy and in decisions", () => {
  const gateway = envoyOfThisFile();
  let issuer: Issuer;
  before("start an issuer", async function () {
    if (!gateway.state.own) return this.skip();
    issuer = await Issuer.start(gateway.state.own);
  });

  /** Who asks for these claims: what Envoy answers to each token, and what is decided of it. */
  async function answers(require_claims: Record<string, string[]>, tokens: readonly Claims[]) {
    const world = [
      httpsEdge({
        routes: [route({ backend: to("bkdsc_up"), jwt_validation: jwt({ require_claims }, issuer.jku) })],
      }),
      fixed("bkdsc_up", gateway.state.upstream.address),
    ];
    const { edges } = await gateway.serve(world);
    expect(edges.map(({ reason }) => reason)).to.deep.equal([""]);
    const objects = world.map(
      ({ kind, fields }): WorldObject => ({ kind, id: (fields as { id: string }).id, fields }),
    );
    const decider = decisions({ objects });
    const seen: number[] = [];
    for (const claims of tokens) {
      const token = issuer.token(issuer.claims(claims));
      const { status } = await gateway.http1("/", { headers: { authorization: `Bearer ${token}` } });
      const request: DecisionRequest = {
        address: "app.example.com:443",
        from: "127.0.0.1",
        token: {
          issuer: "https://id.example.com",
          audiences: ["api"],
          algorithm: "RS256",
          keys: issuer.jku,
          at: { method: "header", name: "Authorization", prefix: "Bearer " },
          claims: JSON.parse(JSON.stringify(claims)) as Claims,
        },
      };
      const said = decider.decide(request);
      expect(
        [said.outcome === "answered" ? 200 : said.status],
        JSON.stringify(claims).slice(0, 200),
      ).to.deep.equal([status]);
      seen.push(status);
    }
    return seen;
  }
  const expectEach = async (rule: Record<string, string[]>, admitted: Claims[], refused: Claims[]) => {
    const seen = await answers(rule, [...admitted, ...refused]);
    expect(seen.slice(0, admitted.length), `admitted by ${JSON.stringify(rule)}`).to.deep.equal(
      admitted.map(() => 200),
    );
    expect(seen.slice(admitted.length), `refused by ${JSON.stringify(rule)}`).to.deep.equal(
      refused.map(() => 403),
    );
  };

  const cases = tableOf<readonly Case[]>(__dirname, "claims.yaml");
  for (const { name, claims, admitted, refused } of cases)
    it(name, () => expectEach(claims, admitted, refused));

  it("may have any name, those that objects of JavaScript inherit too", async () => {
    const names = INHERITED.filter((name) => name !== "__proto__"); // no key of a JSON body
    const all = Object.fromEntries(names.map((name) => [name, "ops"]));
    await expectEach(
      Object.fromEntries(names.map((name) => [name, ["ops"]])),
      [all, { ...all, ["__proto__"]: "x" }],
      [{}, ...names.map((name) => Object.fromEntries(Object.entries(all).filter(([key]) => key !== name)))],
    );
  });

  it("match in huge tokens as in small ones, and large numbers only as texts", async () => {
    const roles = Array.from({ length: 800 }, (_, index) => `role-${index}`);
    await expectEach(
      { roles: ["role-799"], account: ["9007199254740993"] },
      [{ roles, account: "9007199254740993" }],
      [
        { roles: roles.slice(0, 799), account: "9007199254740993" },
        { roles: "x".repeat(20_000), account: "9007199254740993" },
        { roles, account: 9007199254740992 },
      ],
    );
  });
});

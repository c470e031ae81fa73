import { type DecisionRequest, decisions, type WorldObject } from "@tunnelplane/sdk/meaning";
import { INHERITED } from "../support/inherited";
import { Issuer } from "./tokens";
import { envoyOfThisFile } from "./traffic";
import { fixed, httpsEdge, jwt, route, to } from "./worlds";

type Claims = Record<string, unknown>;

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

  it("match whole and in their case, and a missing claim is refused", async () => {
    await expectEach(
      { group: ["ops", "dev.team"] },
      [{ group: "ops" }, { group: "dev.team" }],
      [
        {},
        { group: "" },
        { group: null },
        { group: "Ops" },
        { group: "ops " },
        { group: "ops\n" },
        { group: "xops" },
        { group: "devxteam" },
        { groups: "ops" },
        { Group: "ops" },
        { group: { ops: true } },
        { group: "x".repeat(20_000) },
      ],
    );
  });

  it("may have any name, those that objects of JavaScript inherit too", async () => {
    const names = INHERITED.filter((name) => name !== "__proto__"); // no key of a JSON body
    const all = Object.fromEntries(names.map((name) => [name, "ops"]));
    await expectEach(
      Object.fromEntries(names.map((name) => [name, ["ops"]])),
      [all, { ...all, ["__proto__"]: "x" }],
      [{}, ...names.map((name) => Object.fromEntries(Object.entries(all).filter(([key]) => key !== name)))],
    );
  });

  it("match with a `*` for any characters but @, of a text, a list, a number or true", async () => {
    await expectEach(
      { mail: ["*@example.com"], team: ["a*z", "*"], level: ["3", "true", "0.5"] },
      [
        { mail: "ann@example.com", team: "", level: 3 },
        { mail: "@example.com", team: "any\nlines", level: "3" },
        { mail: ["x", "ann@example.com"], team: ["a@b", "z"], level: [1, 3] },
        { mail: "ann@example.com", team: "a€z", level: true },
        { mail: "ann@example.com", team: 7, level: 0.5 },
        { mail: "ann@example.com", team: false, level: "true" },
      ],
      [
        { mail: "ann@evil@example.com", team: "x", level: 3 },
        { mail: "ann@example.com.evil.test", team: "x", level: 3 },
        { mail: "ann@exampleXcom", team: "x", level: 3 },
        { mail: [["ann@example.com"]], team: "x", level: 3 },
        { mail: [], team: "x", level: 3 },
        { mail: "ann@example.com", team: "a@z", level: 3 },
        { mail: "ann@example.com", team: {}, level: 3 },
        { mail: "ann@example.com", team: null, level: 3 },
        { mail: "ann@example.com", team: "x", level: 4 },
        { mail: "ann@example.com", team: "x", level: false },
        { mail: "ann@example.com", team: "x", level: "3.0" },
        { mail: "ann@example.com", team: "x" },
      ],
    );
  });

  it("match an email only if the issuer calls it verified", async () => {
    await expectEach(
      { email: ["*@example.com"] },
      [{ email: "ann@example.com", email_verified: true }],
      [
        { email: "ann@example.com" },
        { email: "ann@example.com", email_verified: false },
        { email: "ann@example.com", email_verified: "true" },
        { email: "ann@example.com", email_verified: [true] },
        { email: "ann@example.com", email_verified: 1 },
        { email: "bob@example.org", email_verified: true },
      ],
    );
  });

  it("match inside of objects by dots, and by whole names where these are URIs", async () => {
    await expectEach(
      { "realm.roles": ["admin"], "https://example.com/role.s": ["x"] },
      [{ realm: { roles: ["user", "admin"] }, "https://example.com/role.s": "x" }],
      [
        { "realm.roles": ["admin"], "https://example.com/role.s": "x" },
        { realm: [{ roles: "admin" }], "https://example.com/role.s": "x" },
        { realm: "admin", "https://example.com/role.s": "x" },
        { realm: { roles: "admin" }, "https://example": { "com/role": { s: "x" } } },
      ],
    );
  });

  it("match a word of `scope` and `scp`, which are lists of words (RFC 8693)", async () => {
    await expectEach(
      { scope: ["read", "write:*"], scp: ["User.Read"] },
      [
        { scope: "read", scp: "User.Read" },
        { scope: "openid read  email", scp: "User.Read Mail.Read" },
        { scope: ["x", "write:all"], scp: ["User.Read"] },
      ],
      [
        { scope: "", scp: "User.Read" },
        { scope: "reader", scp: "User.Read" },
        { scope: "re ad", scp: "User.Read" },
        { scope: "read\tx", scp: "User.Read" },
        { scope: "read", scp: "User.ReadWrite" },
        { scope: ["read x"], scp: "User.Read" },
      ],
    );
    await expectEach({ scope: ["a b"], words: ["a b"] }, [], [{ scope: "a b", words: "a b" }]);
  });

  it("match in huge tokens as in small ones, and large numbers only as texts", async () => {
    const roles = Array.from({ length: 800 }, (_, index) => `role-${index}`);
    await expectEach(
      { roles: ["role-799"], account: ["9007199254740993"] },
      [{ roles, account: "9007199254740993" }],
      [
        { roles: roles.slice(0, 799), account: "9007199254740993" },
        { roles, account: 9007199254740992 },
      ],
    );
  });
});

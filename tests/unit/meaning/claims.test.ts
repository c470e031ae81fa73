import type { World } from "@tunnelplane/sdk/meaning";
import { compareAccess, decisions, exposureOf, findingsOf, UNKNOWN } from "@tunnelplane/sdk/meaning";
import { tableOf } from "../../support/table";
import { expectNothing, onlyFinding, rulesOf, site, tokensOf, world } from "./worlds";

type Rules = Record<string, unknown> | null | undefined;
const { loosened, both, narrowed } = tableOf<
  Record<"loosened" | "both" | "narrowed", readonly [before: Rules, after: Rules, words: string][]>
>(__dirname, "claims.yaml");
const oidc = { issuer: "https://id.example.com", client_id: "site", client_secret: "s", scopes: [] };
const jwt = tokensOf("https://id.example.com", "https://id.example.com/jwks");
const users = (require_claims: Rules): World => world(site({ oidc: { ...oidc, require_claims } }));
const tokens = (require_claims: Rules): World => world(site({ jwt_validation: { ...jwt, require_claims } }));
const ADDRESS = "www.example.com:443";

/** What each world lets in that the other one does not: `before → after`. */
const opens = (before: Rules, after: Rules) => {
  const [as, at] = [compareAccess(users(before), users(after)), compareAccess(tokens(before), tokens(after))];
  expect(as.verdict, "of users and of tokens").to.equal(at.verdict);
  return as.verdict;
};

describe("Claims of tokens and users", () => {
  it("that are loosened are a high finding, in words of the claim, and the proof has an example", () => {
    for (const [before, after, words] of loosened) {
      expect(opens(before, after), JSON.stringify([before, after])).to.equal("opens");
      const finding = onlyFinding(users(before), users(after));
      expect(finding).to.include({ rule: "claims-loosened", severity: "high", certain: true });
      expect(finding.sentence).to.equal(
        `\`${ADDRESS}/\` now admits users whose claims it refused: ${words}.`,
      );
      expect(finding.cause.property).to.equal("oidc");
      const ofTokens = onlyFinding(tokens(before), tokens(after));
      expect([ofTokens.rule, ofTokens.hash === finding.hash]).to.deep.equal(["claims-loosened", false]);
      expect(ofTokens.sentence).to.contain("now admits tokens whose claims it refused");
    }
  });

  it("that are loosened for some and narrowed for others give a finding of both", () => {
    for (const [before, after, words] of both) {
      expect(opens(before, after), JSON.stringify([before, after])).to.equal("opens");
      expect(rulesOf(users(before), users(after))).to.deep.equal(["claims-loosened", "sign-in-changed"]);
      expect(rulesOf(tokens(before), tokens(after))).to.deep.equal(["claims-loosened", "token-changed"]);
      const [loosened] = findingsOf(users(before), users(after));
      expect(loosened?.sentence).to.contain(words);
    }
  });

  it("that are narrowed open nothing, whatever texts they are written in", () => {
    for (const [before, after] of narrowed) {
      expect(opens(before, after), JSON.stringify([before, after])).to.equal("opens nothing");
      expect(rulesOf(users(before), users(after)), JSON.stringify([before, after])).not.to.include(
        "claims-loosened",
      );
    }
    expectNothing(users({ a: ["x", "y"], b: ["z"] }), users({ b: ["z"], a: ["y", "x"] }));
  });

  it("that are not known yet are said to be so, and are not guessed", () => {
    const finding = findingsOf(users({ groups: ["ops"] }), users({ groups: [UNKNOWN] })).find(
      ({ rule }) => rule === "claims-loosened",
    );
    expect(finding).to.include({ severity: "high", certain: false });
    expect(finding?.sentence).to.contain("which ones is not known yet");
    const request = { address: ADDRESS, from: "198.51.100.7", session: { claims: { groups: "ops" } } };
    expect(decisions(users({ groups: [UNKNOWN] })).decide(request).outcome).to.equal("unknown");
    expect(compareAccess(users({ groups: ["ops"] }), users({ groups: [UNKNOWN] })).verdict).to.equal(
      "unproved",
    );
  });

  it("are in the rows of exposures only where some are asked for", () => {
    const [row] = exposureOf(users({ groups: ["ops", "dev"] }));
    expect(row?.sign_in?.claims).to.deep.equal({ groups: ["dev", "ops"] });
    expect(exposureOf(tokens({}))[0]?.token).not.to.have.property("claims");
  });
});

import { findingsOf, UNKNOWN, type WorldObject } from "@tunnelplane/sdk/meaning";
import { warningsOf } from "@tunnelplane/sdk/warnings";
import {
  agent,
  authority,
  declared,
  edge,
  mutual,
  policy,
  restricted,
  site,
  tokensOf,
  world,
} from "./worlds";

const context = [agent, authority("partners"), ...policy("office", "10.0.0.0/8")];
const oidc = { issuer: "https://id.example.com", client_id: "site", client_secret: "s", scopes: ["openid"] };
const [httpsEdge, , answer] = site() as [WorldObject, WorldObject, WorldObject];
const all = (fields: object) => site({ ...fields })[1] as WorldObject;
const credential = (acl: string[]) => declared("tunnel_credential", "bound", { acl });
const split = (weight: number) =>
  declared("weighted_backend", "split", { backends: { http_response_backend_ok: weight } });

const warned = (before: WorldObject | undefined, { kind, name, fields }: WorldObject) =>
  warningsOf({
    kind,
    name: name ?? "",
    before: { ...before?.fields },
    after: { ...fields },
    modules: ["backend", "ip_restriction", "jwt_validation", "mutual_tls", "oidc", "policies"],
  });

/** What a sentence says of its subject: without what was before. */
const inShort = (sentence: string) =>
  sentence.replace(/ (?:with `|issued by `|\(before: ).*(?=\.$)/, "").replace(/^`[^`]+`/, "…");

describe("A warning about one object", () => {
  const restriction = restricted("office");
  const jwt = tokensOf("https://id.example.com", "https://id.example.com/jwks");
  const CASES: Readonly<Record<string, readonly [WorldObject, WorldObject]>> = {
    "client-certificate-dropped": [edge(mutual("partners")), edge()],
    "network-opened": [edge(restriction), edge()],
    "token-dropped": [all({ jwt_validation: jwt }), all({ jwt_validation: { ...jwt, enabled: false } })],
    "sign-in-dropped": [all({ oidc }), all({})],
    "credential-widened": [credential(["bind:a.example.com"]), credential(["*"])],
    "traffic-stopped": [all({}), all({ backend: { enabled: false } })],
    "module-disabled": [edge(), edge({ policies: { enabled: false } })],
  };
  for (const [rule, [before, after]] of Object.entries(CASES))
    it(`says what a review says of it: ${rule}`, () => {
      const around = [...context, httpsEdge, answer].filter(({ urn }) => urn !== after.urn);
      const found = findingsOf(world(...around, before), world(...around, after)).filter(
        (one) => one.rule === rule,
      );
      const warnings = warned(before, after);
      expect(warnings.map((one) => one.rule)).to.deep.equal([rule]);
      expect(found.map(({ sentence }) => inShort(sentence))).to.deep.equal(
        warnings.map(({ sentence }) => inShort(sentence)),
      );
      expect(warned(after, after), "not again").to.deep.equal([]);
    });

  it("names the addresses that weights stop and that networks of a whole family open", () => {
    expect(warned(split(1), split(0))).to.deep.equal([
      {
        rule: "traffic-stopped",
        sentence: "`split` no longer has anything to answer it: no backend of it has a weight or is there.",
      },
    ]);
    const rule = (cidr: string) => declared("ip_policy_rule", "v6", { cidr, action: "allow" });
    expect(warned(undefined, rule("::/0"))).to.deep.equal([
      { rule: "network-opened", sentence: "`v6` now admits every IPv6 address." },
    ]);
  });

  it("never guesses what is not known yet", () => {
    for (const fields of [{ acl: UNKNOWN }, { acl: [UNKNOWN] }])
      expect(
        warned(credential(["bind:a.example.com"]), declared("tunnel_credential", "bound", fields)),
      ).to.deep.equal([]);
    for (const mutual_tls of [UNKNOWN, { enabled: UNKNOWN, certificate_authority_ids: [] }])
      expect(warned(edge(mutual("partners")), edge({ mutual_tls }))).to.deep.equal([]);
  });
});

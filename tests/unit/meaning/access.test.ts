import { UNKNOWN } from "@tunnelplane/sdk/meaning";
import { expect } from "chai";
import {
  agent,
  authority,
  declared,
  edge,
  expectNothing,
  exposureAt,
  mutual,
  onlyFinding,
  policy,
  restricted,
  rulesOf,
  site,
  tokensOf,
  world,
} from "./worlds";

const ca = authority("partners");
const oidc = {
  issuer: "https://id.example.com",
  client_id: "site",
  client_secret: "canary-secret",
  scopes: ["openid", "email"],
};
const jwt = tokensOf("https://id.example.com", "https://id.example.com/jwks");

describe("A change of who may come in", () => {
  it("is reported if a client certificate is no longer required, with the field that caused it", () => {
    const before = world(agent, ca, edge(mutual("partners")));
    for (const module of [null, undefined, { ...mutual("partners").mutual_tls, enabled: false }]) {
      const finding = onlyFinding(before, world(agent, ca, edge({ mutual_tls: module }), edge2User()));
      expect(finding).to.include({
        rule: "client-certificate-dropped",
        severity: "high",
        address: "app.example.com:443",
        certain: true,
      });
      expect(finding.sentence).to.equal("`app.example.com:443` no longer asks for a client certificate.");
      expect(finding.cause).to.deep.include({
        kind: "tls_edge",
        name: "app",
        property: module ? "mutual_tls.enabled" : "mutual_tls",
      });
      expect(finding.before).to.deep.equal(["partners"]);
    }
  });

  /** Keeps the authority in use, so that nothing is said of that. */
  const edge2User = () => declared("https_edge", "other", mutual("partners"));

  it("leads to the same finding for a module in the edge and for one that is a resource of its own", () => {
    const module = declared("tls_edge.mutual_tls", "app-mtls", {
      edge_id: "tls_edge_app",
      ...mutual("partners").mutual_tls,
    });
    expectNothing(world(agent, ca, edge(mutual("partners"))), world(agent, ca, edge(), module));
    const finding = onlyFinding(
      world(agent, ca, edge(), module),
      world(agent, ca, edge(), { ...module, fields: { ...module.fields, enabled: false } }),
    );
    expect(finding.rule).to.equal("client-certificate-dropped");
    expect(finding.cause).to.deep.include({ name: "app-mtls", property: "enabled", urn: module.urn });
  });

  it("names added and removed authorities, and reports a replacement only once", () => {
    const other = authority("staff");
    expect(
      rulesOf(
        world(agent, ca, other, edge(mutual("partners"))),
        world(agent, ca, other, edge(mutual("partners", "staff"))),
      ),
    ).to.deep.equal(["authority-added"]);
    const replaced = { ...ca, id: undefined, fields: { ...ca.fields, subject_common_name: "partners 2" } };
    const rules = rulesOf(
      world(agent, ca, edge(mutual("partners"))),
      world(agent, replaced, edge(mutual("partners"))),
    );
    expect(rules).to.deep.equal(["authority-added", "authority-removed"]);
  });

  it("is not reported for another order of authorities or another description", () => {
    const other = authority("staff");
    expectNothing(
      world(agent, ca, other, edge(mutual("partners", "staff"))),
      world(
        edge({ ...mutual("staff", "partners"), description: "another", metadata: "{}" }),
        other,
        ca,
        agent,
      ),
    );
  });

  it("is not reported for a resource that is renamed with an alias", () => {
    const renamed = { ...edge(mutual("partners")), name: "new-name", urn: "urn:tls_edge:new-name" };
    expectNothing(world(agent, ca, edge(mutual("partners"))), world(agent, ca, renamed));
  });

  it("is reported if sign-in or tokens are dropped or changed", () => {
    const dropped = [
      [{ oidc }, { oidc: null }, "sign-in-dropped"],
      [{ jwt_validation: jwt }, { jwt_validation: { ...jwt, enabled: false } }, "token-dropped"],
      [{ oidc }, { oidc: { ...oidc, client_id: "another" } }, "sign-in-changed"],
      [{ oidc: null }, { oidc }, "sign-in-changed"],
      [
        { jwt_validation: jwt },
        { jwt_validation: { ...jwt, audience: { allow_list: [{ value: "other" }] } } },
        "token-changed",
      ],
    ] as const;
    for (const [was, is, rule] of dropped)
      expect(rulesOf(world(site(was)), world(site(is)))).to.deep.equal([rule]);
    expectNothing(world(site({ oidc })), world(site({ oidc: { ...oidc, scopes: ["email", "openid"] } })));
  });

  it("is reported without client secrets", () => {
    const [was, is] = [
      world(site({ oidc })),
      world(site({ oidc: { ...oidc, issuer: "https://other.example.com" } })),
    ];
    expect(JSON.stringify([onlyFinding(was, is), exposureAt(was, "www.example.com:443/")])).not.to.contain(
      "canary-secret",
    );
  });

  it("is reported as uncertain if values are not known yet, and never ignored", () => {
    const before = world(agent, ca, edge(mutual("partners")));
    const maybe = onlyFinding(
      before,
      world(agent, ca, edge({ mutual_tls: { ...mutual("partners").mutual_tls, enabled: UNKNOWN } })),
    );
    expect(maybe).to.include({ rule: "client-certificate-dropped", certain: false });
    const more = onlyFinding(
      before,
      world(
        agent,
        ca,
        edge({
          mutual_tls: {
            certificate_authority_ids: [...mutual("partners").mutual_tls.certificate_authority_ids, UNKNOWN],
          },
        }),
      ),
    );
    expect(more).to.include({ rule: "authority-added", certain: false });
    expect(
      onlyFinding(world(site({ oidc })), world(site({ oidc: { ...oidc, issuer: UNKNOWN } }))),
    ).to.include({
      rule: "sign-in-changed",
      certain: false,
    });
  });

  it("has different findings for a new address with protection, one without, and a removed one", () => {
    const open = onlyFinding(world(agent), world(agent, edge()));
    expect(open).to.include({ rule: "opened-unprotected", severity: "high" });
    const office = policy("office", "allow 10.0.0.0/8");
    expect(onlyFinding(world(agent, ca), world(agent, ca, edge(mutual("partners"))))).to.include({
      rule: "address-added",
      severity: "low",
    });
    expect(rulesOf(world(agent, office), world(agent, office, edge(restricted("office"))))).to.deep.equal([
      "address-added",
    ]);
    const gone = onlyFinding(world(agent, edge()), world(agent));
    expect(gone).to.include({
      rule: "address-removed",
      severity: "high",
      sentence: "`app.example.com:443` is no longer served.",
    });
    const moved = declared("tls_edge", "second", { hostports: ["APP.example.com:443"] });
    expectNothing(
      world(agent, edge(), { ...moved, fields: { hostports: [] } }),
      world(agent, edge({ hostports: [] }), moved),
    );
  });
});

import { UNKNOWN } from "@tunnelplane/sdk/meaning";
import { agent, authority, declared, edge, expectNothing, mutual, onlyFinding, site, world } from "./worlds";

const ca = authority("partners");
const oidc = {
  issuer: "https://id.example.com",
  client_id: "site",
  client_secret: "canary-secret",
  scopes: ["openid", "email"],
};

describe("A change of who may come in", () => {
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
    ).to.include({ rule: "sign-in-changed", certain: false });
  });
});

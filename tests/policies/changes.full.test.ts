import type { PulumiFn } from "@pulumi/pulumi/automation";
import { tunnelPolicies } from "@tunnelplane/policies";
import * as tunnels from "@tunnelplane/pulumi";
import { review, worldsOfStack, write } from "@tunnelplane/pulumi/review";
import { findingsOf, RULES } from "@tunnelplane/sdk/meaning";
import { certificate } from "../support/api/fixtures";
import type { Engine } from "../support/engine";
import { describeStacks } from "../support/provider";
import { PolicyRunner } from "./support";

const CANARY = "canary-of-a-secret";
const clientsPem = certificate({ name: "Clients" }).pem;
const partnersPem = certificate({ name: "Partners" }).pem;
type Choices = { readonly dangerous?: boolean; readonly renamed?: boolean; readonly description?: string };

/** Two edges, a route that signs users in with a secret, a credential. */
const program =
  ({ dangerous = false, renamed = false, description = "" }: Choices = {}): PulumiFn =>
  async () => {
    const clients = new tunnels.CertificateAuthority("clients", {
      caPem: dangerous ? partnersPem : clientsPem,
    });
    const office = new tunnels.IpPolicy("office", { description });
    new tunnels.IpPolicyRule("everybody", {
      ipPolicyId: office.id,
      cidr: dangerous ? "0.0.0.0/0" : "10.0.0.0/8",
      action: "allow",
    });
    const aliases = renamed ? [{ name: "app" }] : [];
    new tunnels.TlsEdge(
      renamed ? "shop" : "app",
      {
        hostports: ["app.example.com:443"],
        description,
        ipRestriction: { ipPolicyIds: [office.id] },
        mutualTls: { certificateAuthorityIds: [clients.id] },
      },
      { aliases },
    );
    const site = new tunnels.HttpsEdge("site", { hostports: ["site.example.com:443"] });
    const route = new tunnels.HttpsEdgeRoute("all", {
      edgeId: site.id,
      match: "/",
      matchType: "path_prefix",
    });
    if (!dangerous)
      new tunnels.HttpsEdgeRouteOidc("sign-in", {
        edgeId: site.id,
        routeId: route.routeId,
        issuer: "https://id.example.com",
        clientId: "site",
        clientSecret: CANARY,
      });
    new tunnels.TunnelCredential("agent", { acl: dangerous ? [] : ["bind:app.example.com"], description });
  };

describeStacks("Policies on what a change means", ({ world, server }) => {
  const runner = new PolicyRunner({ tellsOrganization: false });
  let engine: Engine;
  let current = program();

  before(async () => {
    engine = await world.stack(server, () => current(), { root: runner.root });
    await engine.up();
  });

  const preview = (choices: Choices, config?: object) => {
    current = program(choices);
    return runner.preview(engine, config);
  };
  const rules = new Set(RULES.map(({ rule }) => rule));
  const aboutChanges = (said: readonly { policy: string; at: string }[]) =>
    said
      .filter(({ policy }) => rules.has(policy))
      .map(({ policy, at }) => `${policy} at ${at}`)
      .sort();

  it("say what the review of the same change says, at the resource that it comes from", async () => {
    const { said, printed, failure } = await preview({ dangerous: true });
    expect(failure).to.equal(undefined);
    const report = review(await engine.previewJson());
    expect(aboutChanges(said).map((one) => one.split(" ")[0])).to.deep.equal(
      report.findings.map(({ rule }) => rule).sort(),
    );
    expect(aboutChanges(said)).to.include.members([
      ...["network-opened at everybody", "authority-removed at clients", "authority-added at clients"],
      ...["sign-in-dropped at all", "credential-widened at agent"],
    ]);
    expect(said.find(({ policy }) => policy === "network-opened")?.message).to.include(
      "`app.example.com:443` now admits every IPv4 address",
    );
    expect(new Set(said.map(({ level }) => level))).to.deep.equal(new Set(["advisory"]));
    expect(printed).not.to.include(CANARY).and.not.to.include("-----BEGIN");
  });

  it("say nothing of a change that alters nothing for anybody", async () => {
    for (const choices of [{}, { renamed: true, description: "of the shop" }]) {
      const { said, failure } = await preview(choices);
      expect([aboutChanges(said), failure]).to.deep.equal([[], undefined]);
    }
  });

  it("stop a preview where a team wants that, except for what somebody accepted", async () => {
    const config = { all: "disabled", "network-opened": "mandatory" };
    const { said, failure } = await preview({ dangerous: true }, config);
    expect(failure).to.include("network-opened");
    expect(said.map(({ policy, level }) => `${policy} ${level}`)).to.deep.equal(["network-opened mandatory"]);
    const hash = /\(([0-9a-f]{16})\)/.exec(said[0]?.message ?? "")?.[1] ?? "";
    const accepted = await preview(
      { dangerous: true },
      { ...config, "network-opened": { enforcementLevel: "mandatory", accept: [hash] } },
    );
    expect(accepted).to.deep.include({ said: [], failure: undefined });
  });

  it("are read by `review --events` from the engine's log, and nothing else of it is", async () => {
    current = program({ dangerous: true });
    const preview = await engine.previewJson();
    const log = await engine.previewLog(runner.options());
    expect(log, "what the log holds").to.include("-----BEGIN");
    const report = review(preview, { events: log });
    expect(report.violations?.map(({ policy, pack }) => `${pack} ${policy}`)).to.include(
      "tunnelplane network-opened",
    );
    for (const format of ["markdown", "html", "json", "sarif"] as const) {
      expect(write(report, format), format).not.to.include(CANARY).and.not.to.include("-----BEGIN");
    }
  });

  it("have a level each, and refuse one for a policy that does not exist", () => {
    const levels = { all: "disabled", "network-opened": "mandatory" } as const;
    const levelOf = (name: string) =>
      tunnelPolicies({ levels }).find((policy) => policy.name === name)?.enforcementLevel;
    expect([levelOf("network-opened"), levelOf("unused"), levelOf("api-keys-expire")]).to.deep.equal([
      "mandatory",
      "disabled",
      "disabled",
    ]);
    expect(() => tunnelPolicies({ levels: { "network-open": "mandatory" } })).to.throw(
      'There is no policy "network-open"; policies: ',
    );
    expect(tunnelPolicies().filter(({ name }) => rules.has(name))).to.have.length(RULES.length);
  });

  it("know the types of a native provider as well", () => {
    const urn = "urn:pulumi:dev::tunnels::tunnelplane:index:TlsEdge::app";
    const properties = (enabled: boolean) => ({
      hostports: ["app.example.com:443"],
      mutualTls: { enabled, certificateAuthorityIds: ["ca_of_others"] },
    });
    const recorded = { urn, id: "edgtls_1", inputs: properties(true) };
    const { before, after } = worldsOfStack([recorded], [{ urn, properties: properties(false) }]);
    expect(findingsOf(before, after).map(({ rule }) => rule)).to.deep.equal(["client-certificate-dropped"]);
  });
});

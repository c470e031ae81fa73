import * as pulumi from "@pulumi/pulumi";
import type { PulumiFn } from "@pulumi/pulumi/automation";
import * as tunnels from "@tunnelplane/pulumi";
import { type Report, review } from "@tunnelplane/pulumi/review";
import { expect } from "chai";
import { certificate } from "../support/api/fixtures";
import type { Engine } from "../support/engine";
import { World } from "../support/provider";
import type { Rest } from "../support/rest";
import type { ServerProcess } from "../support/server";
import { Change, Folder, rulesIn } from "./support";

const pem = certificate({ name: "Clients" }).pem;
const APP = "app.example.com:443";
const OTHER = "other.example.com:443";

interface Choices {
  readonly name?: string;
  readonly alias?: string;
  readonly mutualTls?: boolean;
  readonly upstream?: boolean;
  readonly networks?: readonly string[];
  readonly shares?: readonly [old: number, fresh: number];
  readonly acl?: string[];
  readonly description?: string;
  readonly hostports?: string[];
  readonly partnerAsks?: boolean;
}

/**
 * An edge that asks for certificates of one authority, admits one network, and sends its traffic to two
 * backends.
 */
const program =
  (choices: Choices = {}): PulumiFn =>
  async () => {
    const {
      name = "app",
      alias,
      mutualTls = true,
      upstream = false,
      networks = ["10.0.0.0/8"],
      description = "",
    } = choices;
    const clients = new tunnels.CertificateAuthority("clients", { caPem: pem });
    const office = new tunnels.IpPolicy("office", { description });
    for (const cidr of networks)
      new tunnels.IpPolicyRule(`office ${cidr}`, { ipPolicyId: office.id, cidr, action: "allow" });
    const old = new tunnels.TunnelGroupBackend("old", { labels: { release: "old" } });
    const fresh = new tunnels.TunnelGroupBackend("fresh", { labels: { release: "fresh" } });
    const [toOld, toFresh] = choices.shares ?? [90, 10];
    const split = new tunnels.WeightedBackend("split", {
      backends: pulumi.all([old.id, fresh.id]).apply(([one, other]) => ({ [one]: toOld, [other]: toFresh })),
    });
    new tunnels.TlsEdge(
      name,
      {
        hostports: choices.hostports ?? [APP, "www.example.com:443"],
        description,
        backend: { backendId: split.id },
        ipRestriction: { ipPolicyIds: [office.id] },
        ...(mutualTls && { mutualTls: { certificateAuthorityIds: [clients.id] } }),
        ...(upstream && { tlsTermination: { terminateAt: "upstream" } }),
      },
      alias === undefined ? {} : { aliases: [{ name: alias }] },
    );
    const partner = new tunnels.TlsEdge("partner", { hostports: ["partner.example.com:443"] });
    if (choices.partnerAsks !== false)
      new tunnels.TlsEdgeMutualTls("partner-certificates", {
        edgeId: partner.id,
        certificateAuthorityIds: [clients.id],
      });
    new tunnels.TunnelCredential("agent", { acl: choices.acl ?? ["bind:partner.example.com"], description });
  };

describe("a review of what the engine previews", () => {
  const world = new World();
  let server: ServerProcess & { rest: Rest };
  let change: Change & { engine: Engine };

  before(async () => {
    server = await world.server();
    change = await Change.of(world, server, program());
    // Somebody else's edge admits whom this stack's policy admits.
    const office = (await server.rest.get("/ip_policies")).body.ip_policies[0].id;
    const posted = await server.rest.post("/edges/tls", {
      hostports: [OTHER],
      description: "of another team",
      ip_restriction: { ip_policy_ids: [office] },
      mutual_tls: {
        certificate_authority_ids: [
          (await server.rest.get("/certificate_authorities")).body.certificate_authorities[0].id,
        ],
      },
    });
    expect(posted.status).to.equal(201);
  });

  after(() => world.close());

  const asked = async (choices: Choices): Promise<Report> =>
    review(await change.preview(program(choices)), { url: server.url, apiKey: server.apiKey });

  it("tells that a client certificate is no longer asked for, at every address, with the line of the program", async () => {
    const { findings, counts } = await asked({ mutualTls: false });
    expect(findings.map(({ rule, address, severity }) => [rule, address, severity])).to.deep.equal([
      ["client-certificate-dropped", APP, "high"],
      ["client-certificate-dropped", "www.example.com:443", "high"],
    ]);
    expect(counts).to.deep.equal({ high: 2, medium: 0, low: 0 });
    const [{ cause, sentence, certain, offStack }] = findings as [Report["findings"][number]];
    expect(sentence).to.equal(`\`${APP}\` no longer asks for a client certificate.`);
    expect(cause)
      .to.include({ kind: "tls_edge", name: "app", property: "mutual_tls" })
      .and.to.have.property("line")
      .that.is.a("number");
    expect(cause.file).to.match(/tests\/review\/rules\.test\.ts$/);
    expect([certain, offStack]).to.deep.equal([true, false]);
  });

  it("tells that a network is opened, also at an address of somebody else that uses the policy", async () => {
    const { findings, addresses } = await asked({ networks: ["0.0.0.0/1", "128.0.0.0/1"] });
    const opened = findings.filter(({ rule }) => rule === "network-opened");
    expect(opened.map(({ address, offStack }) => [address, offStack])).to.deep.equal([
      [APP, false],
      [OTHER, true],
      ["www.example.com:443", false],
    ]);
    expect(addresses.find(({ address }) => address === OTHER)?.offStack).to.equal(true);
  });

  it("tells how traffic moves, in percentages", async () => {
    const { findings } = await asked({ shares: [10, 90] });
    expect(findings.map(({ rule, address, severity }) => [rule, address, severity])).to.deep.equal([
      ["traffic-moved", APP, "medium"],
      ["traffic-moved", "www.example.com:443", "medium"],
    ]);
    expect(findings[0]?.sentence).to.include("90").and.to.include("10");
  });

  it("tells that a credential may bind more", async () => {
    expect(rulesIn(await asked({ acl: [] }))).to.deep.equal(["credential-widened agent"]);
    expect(rulesIn(await asked({ acl: ["bind:*.example.com"] }))).to.deep.equal(["credential-widened agent"]);
  });

  it("tells that TLS ends elsewhere where the edge protected an address", async () => {
    const found = rulesIn(await asked({ upstream: true, mutualTls: false }));
    expect(found)
      .to.include(`termination-moved ${APP}`)
      .and.to.include("termination-moved www.example.com:443");
  });

  it("tells that an address is removed", async () => {
    expect(rulesIn(await asked({ hostports: [APP] }))).to.deep.equal(["address-removed www.example.com:443"]);
  });

  it("finds nothing in what changes nothing for anybody", async () => {
    const nothing: [string, Choices][] = [
      ["a rename with an alias", { name: "shop", alias: "app" }],
      ["the same network, written otherwise", { networks: ["10.0.0.0/9", "10.128.0.0/9"] }],
      ["hostports in another order", { hostports: ["www.example.com:443", APP] }],
      ["a description", { description: "of the shop" }],
      ["the same proportions", { shares: [9, 1] }],
    ];
    for (const [what, choices] of nothing) expect(rulesIn(await asked(choices)), what).to.deep.equal([]);
  });

  it("works from the preview alone, and says what it could not see", async () => {
    const report = review(await change.preview(program({ networks: ["::/0"] })));
    expect(report.findings.map(({ address }) => address))
      .to.include(APP)
      .and.not.to.include(OTHER);
    expect(report.limits).to.have.length(1);
    expect(report.limits[0]).to.match(/^No server was asked/);
    expect(report.changes).to.deep.include.members([
      {
        op: "create",
        urn: "urn:pulumi:dev::tunnels::pulumi-nodejs:dynamic/tunnelplane:IpPolicyRule::office ::/0",
        kind: "ip_policy_rule",
        name: "office ::/0",
      },
    ]);
  });

  it("knows unchanged resources from the server where --show-sames was forgotten, and says so", async () => {
    const preview = await change.preview(program({ mutualTls: false }), []);
    const withServer = await review(preview, { url: server.url, apiKey: server.apiKey });
    expect(rulesIn(withServer)).to.include(`client-certificate-dropped ${APP}`);
    expect(withServer.limits.join(" ")).to.include("without --show-sames").and.to.include("from the server");
    expect(review(preview).limits.join(" ")).to.include("without --show-sames").and.to.include("uncertain");
  });

  it("gives an identical plan an identical hash on another day, with other ids", async () => {
    const elsewhere = await world.server();
    const again = await Change.of(world, elsewhere, program());
    const dangerous: Choices = { mutualTls: false, networks: ["0.0.0.0/0"], acl: [], shares: [1, 99] };
    const first = review(await change.preview(program(dangerous)), { now: new Date("2026-11-22T12:00:00Z") });
    const second = review(await again.preview(program(dangerous)), { now: new Date("2027-01-05T12:00:00Z") });
    expect(second.hash).to.equal(first.hash);
    expect(second.findings.map(({ hash }) => hash)).to.deep.equal(first.findings.map(({ hash }) => hash));
    expect(first.findings.length).to.be.greaterThan(4);
  });

  it("is refused for a program that fails, and for a preview that streams, without what they print", async () => {
    const failed = await change.preview(async () => {
      new tunnels.IpPolicy("office", {});
      throw new Error("canary-of-a-secret");
    });
    expect(failed).to.include("canary-of-a-secret");
    expect(() => review(failed))
      .to.throw(
        /^The preview is of a preview that failed \(\d errors?\): fix its program first; .*pulumi preview --json/,
      )
      .with.property("message")
      .that.does.not.include("canary");
    const refused = await change.preview(program({ hostports: ["no hostport"] }));
    expect(() => review(refused)).to.throw(/a preview that failed/);
    process.env.PULUMI_ENABLE_STREAMING_JSON_PREVIEW = "true";
    const stream = await change
      .preview(program())
      .finally(() => delete process.env.PULUMI_ENABLE_STREAMING_JSON_PREVIEW);
    expect(() => review(stream)).to.throw(/stream of engine events/);
  });

  it("names the line of the entry for what a catalogue declares", async () => {
    const folder = new Folder();
    const file = folder.write(
      "tunnels.yaml",
      "tlsEdges:\n  # Open to anybody\n  open:\n    hostports: [open.example.com:443]\n",
    );
    const report = review(
      await change.preview(async () => {
        tunnels.catalogue(file);
      }),
    );
    folder.dispose();
    const cause = report.findings.find(({ address }) => address === "open.example.com:443")?.cause;
    expect(cause).to.include({ name: "open", line: 3 });
    expect(cause?.file).to.match(/\/tunnels\.yaml$/);
  });

  it("follows modules that are resources of their own, also of edges that are not made yet", async () => {
    const declared = program();
    const report = review(
      await change.preview(async () => {
        await declared();
        const made = new tunnels.TlsEdge("made", { hostports: ["made.example.com:443"] });
        const clients = new tunnels.CertificateAuthority("more-clients", { caPem: pem });
        new tunnels.TlsEdgeMutualTls("made-certificates", {
          edgeId: made.id,
          certificateAuthorityIds: [clients.id],
        });
      }),
    );
    expect(report.findings.find(({ address }) => address === "made.example.com:443")).to.include({
      rule: "address-added",
      certain: true,
    });
    const dropped = review(await change.preview(program({ partnerAsks: false })));
    expect(rulesIn(dropped)).to.include("client-certificate-dropped partner.example.com:443");
  });
});

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
const DAY_MS = 86_400_000;

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

  const ask = (preview: string) => review(preview, { url: server.url, apiKey: server.apiKey });
  /** Dangerous in ways that do not touch each other. */
  const DANGEROUS: Choices = {
    mutualTls: false,
    networks: ["0.0.0.0/1", "128.0.0.0/1"],
    shares: [10, 90],
    acl: [],
  };
  /** The same, seen by a review that asks the server, and by one that does not. */
  let dangerous: Report;
  let alone: Report;
  let preview: string;
  before("preview a dangerous change", async () => {
    preview = await change.preview(program(DANGEROUS));
    [dangerous, alone] = [await ask(preview), review(preview)];
  });
  const found = (rule: string) => dangerous.findings.filter((finding) => finding.rule === rule);

  it("says that a client certificate is no longer asked for, at every address, with the line of the program", () => {
    const findings = found("client-certificate-dropped");
    expect(findings.map(({ address, severity }) => [address, severity])).to.deep.equal([
      [APP, "high"],
      ["www.example.com:443", "high"],
    ]);
    const [{ cause, sentence, certain, offStack }] = findings as [Report["findings"][number]];
    expect(sentence).to.equal(`\`${APP}\` no longer asks for a client certificate.`);
    expect(cause)
      .to.include({ kind: "tls_edge", name: "app", property: "mutual_tls" })
      .and.to.have.property("line")
      .that.is.a("number");
    expect(cause.file).to.match(/tests\/review\/rules\.test\.ts$/);
    const { steps } = JSON.parse(preview) as {
      steps: { urn: string; newState?: { stackTrace: unknown[] } }[];
    };
    const traces = steps.flatMap(({ urn, newState }) =>
      newState && urn.includes("tunnelplane:") ? [newState.stackTrace] : [],
    );
    expect(traces).not.to.deep.equal([]);
    for (const trace of traces) expect(trace, "Pulumi would record more").to.have.length(1);
    expect([certain, offStack]).to.deep.equal([true, false]);
  });

  it("says that a network is opened, also at an address of somebody else that uses the policy", () => {
    expect(found("network-opened").map(({ address, offStack }) => [address, offStack])).to.deep.equal([
      [APP, false],
      [OTHER, true],
      ["www.example.com:443", false],
    ]);
    expect(dangerous.addresses.find(({ address }) => address === OTHER)?.offStack).to.equal(true);
  });

  it("says how traffic moves, in percentages, and that a credential may bind more, and counts its findings", () => {
    const moved = found("traffic-moved");
    expect(moved.map(({ address, severity }) => [address, severity])).to.deep.equal([
      [APP, "medium"],
      ["www.example.com:443", "medium"],
    ]);
    expect(moved[0]?.sentence).to.include("90").and.to.include("10");
    expect(found("credential-widened").map(({ name }) => name)).to.deep.equal(["agent"]);
    expect(new Set(dangerous.findings.map(({ rule }) => rule))).to.deep.equal(
      new Set(["client-certificate-dropped", "network-opened", "traffic-moved", "credential-widened"]),
    );
    const { counts, findings } = dangerous;
    expect(counts.high + counts.medium + counts.low).to.equal(findings.length);
  });

  it("says that an address is removed, that a credential may bind names, and that a module of its own is gone", async () => {
    const choices = { hostports: [APP], acl: ["bind:*.example.com"], partnerAsks: false };
    expect(rulesIn(await ask(await change.preview(program(choices))))).to.have.members([
      "address-removed www.example.com:443",
      "credential-widened agent",
      "client-certificate-dropped partner.example.com:443",
    ]);
  });

  it("says that TLS ends elsewhere where the edge protected an address", async () => {
    const preview = await change.preview(program({ upstream: true, mutualTls: false }));
    expect(rulesIn(await ask(preview)))
      .to.include(`termination-moved ${APP}`)
      .and.to.include("termination-moved www.example.com:443");
  });

  it("finds nothing in what changes nothing for anybody", async () => {
    const nothing: Choices = {
      // A rename with an alias.
      name: "shop",
      alias: "app",
      // The same network, in two halves.
      networks: ["10.0.0.0/9", "10.128.0.0/9"],
      hostports: ["www.example.com:443", APP],
      description: "of the shop",
      // The same proportions.
      shares: [9, 1],
    };
    expect(rulesIn(await ask(await change.preview(program(nothing))))).to.deep.equal([]);
  });

  it("works from the preview alone, and says what it could not see", () => {
    expect(alone.findings.map(({ address }) => address))
      .to.include(APP)
      .and.not.to.include(OTHER);
    expect(alone.limits).to.have.length(1);
    expect(alone.limits[0]).to.match(/^No server was asked/);
    expect(alone.changes).to.deep.include.members([
      {
        op: "create",
        urn: "urn:pulumi:dev::tunnels::pulumi-nodejs:dynamic/tunnelplane:IpPolicyRule::office 0.0.0.0/1",
        kind: "ip_policy_rule",
        name: "office 0.0.0.0/1",
      },
    ]);
  });

  it("knows unchanged resources from the server where --show-sames was forgotten, and says so", async () => {
    const preview = await change.preview(program({ mutualTls: false }), []);
    const withServer = await ask(preview);
    expect(rulesIn(withServer)).to.include(`client-certificate-dropped ${APP}`);
    expect(withServer.limits.join(" ")).to.include("without --show-sames").and.to.include("from the server");
    expect(review(preview).limits.join(" ")).to.include("without --show-sames").and.to.include("uncertain");
  });

  it("gives an identical plan an identical hash on another day, with other ids", async () => {
    const elsewhere = await world.server();
    const again = await Change.of(world, elsewhere, program());
    const preview = await again.preview(program(DANGEROUS));
    const later = review(preview, { now: new Date(Date.now() + 45 * DAY_MS) });
    expect(later.hash).to.equal(alone.hash);
    expect(later.findings.map(({ hash }) => hash)).to.deep.equal(alone.findings.map(({ hash }) => hash));
    expect(alone.findings.length).to.be.greaterThan(4);
  });

  it("is refused for a program that fails, with its errors, and for a preview that streams", async () => {
    const failed = await change.preview(async () => {
      new tunnels.IpPolicy("office", {});
      throw new Error("there is no such office");
    });
    expect(() => review(failed)).to.throw(
      /^The preview is of a preview that failed \(\d errors?\): fix what it says, then preview again[\s\S]*there is no such office/,
    );
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
  });
});

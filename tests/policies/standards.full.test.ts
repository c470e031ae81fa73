import type { PulumiFn } from "@pulumi/pulumi/automation";
import * as tunnels from "@tunnelplane/pulumi";
import { tokensOf } from "../review/support";
import { certificate } from "../support/api/fixtures";
import type { Engine } from "../support/engine";
import { describeStacks, makeSshKey } from "../support/provider";
import { PolicyRunner, type Said } from "./support";

const STANDARDS = [
  ...["admin-routes-sign-in", "api-keys-expire", "authorities-have-days-left"],
  ...["certificates-end-soon-enough", "certificates-name-principals", "credentials-carry-an-acl"],
  ...["destinations-use-roles", "edges-authenticate-callers", "edges-require-tls-1.3"],
  "guarantees-are-enforced",
];
const CANARY = "canary-of-a-secret-of-forty-characters-";
const DAY_MS = 86_400_000;
const inDays = (days: number): string =>
  new Date(Date.now() + days * DAY_MS).toISOString().replace(/\.\d+Z$/, "Z");

const pem = certificate({ name: "Clients" }).pem;
const endingPem = certificate({ name: "Ending", days: 20 }).pem;
const publicKey = makeSshKey();
const stream = "arn:aws:kinesis:eu-central-1:123456789012:stream/events";

/** Everything that the policies look at, as they want it or not. */
const program =
  (good: boolean): PulumiFn =>
  async () => {
    const clients = new tunnels.CertificateAuthority("clients", { caPem: good ? pem : endingPem });
    const app = new tunnels.TlsEdge("app", { hostports: ["app.example.com:443"] });
    if (good) {
      new tunnels.TlsEdgeMutualTls("app-certificates", {
        edgeId: app.id,
        certificateAuthorityIds: [clients.id],
      });
      new tunnels.TlsEdgeTlsTermination("app-tls", { edgeId: app.id, minVersion: "1.3" });
    }
    const site = new tunnels.HttpsEdge("site", {
      hostports: ["site.example.com:443"],
      ...(good && { tlsTermination: { minVersion: "1.3" } }),
    });
    const oidc = { issuer: "https://id.example.com", clientId: "site", clientSecret: CANARY };
    for (const match of ["/admin", "/administration"]) {
      new tunnels.HttpsEdgeRoute(match.slice(1), {
        edgeId: site.id,
        match,
        matchType: "path_prefix",
        ...(good && match === "/admin" ? { oidc } : { jwtValidation: tokensOf() }),
      });
    }
    new tunnels.TlsEdge("passed-on", {
      hostports: ["passed.example.com:443"],
      tlsTermination: { terminateAt: "upstream" },
    });
    new tunnels.TunnelCredential("agent", { acl: good ? ["bind:app.example.com"] : [] });
    const people = new tunnels.SshCertificateAuthority("people");
    new tunnels.SshUserCertificate("ada", {
      ...{ sshCertificateAuthorityId: people.id, publicKey, principals: good ? ["ada"] : [] },
      validFor: good ? "30d" : "100d",
    });
    new tunnels.ApiKey("pipeline", {
      description: "of the pipeline",
      ...(good && { expiresAt: inDays(365) }),
    });
    new tunnels.Guarantee("internal", {
      expect: "refused",
      addresses: ["*.internal.example.com:*"],
      ...(!good && { mode: "report" }),
    });
    const auth = good
      ? { role: { roleRef: "arn:aws:iam::123456789012:role/events" } }
      : { creds: { cloudAccessKeyId: "AKIAIOSFODNN7EXAMPLE", cloudSecretAccessKey: CANARY } };
    new tunnels.EventDestination("audit", { target: { streamService: { auth, streamRef: stream } } });
  };

describeStacks("Policies on what every team wants", ({ world, server }) => {
  const runner = new PolicyRunner();
  let engine: Engine;
  let current = program(true);

  before(async () => {
    engine = await world.stack(server, () => current(), { root: runner.root });
  });

  const standards = (said: readonly Said[]) =>
    said
      .filter(({ policy }) => STANDARDS.includes(policy))
      .map(({ policy, at }) => `${policy} at ${at}`)
      .sort();

  it("say at each resource what is missing, also where modules are resources of their own", async () => {
    current = program(false);
    const { said, printed, failure } = await runner.preview(engine);
    expect(failure).to.equal(undefined);
    expect(standards(said)).to.deep.equal([
      ...["admin-routes-sign-in at admin", "api-keys-expire at pipeline"],
      ...["authorities-have-days-left at clients", "certificates-end-soon-enough at ada"],
      ...["certificates-name-principals at ada", "credentials-carry-an-acl at agent"],
      ...["destinations-use-roles at audit", "edges-authenticate-callers at app"],
      ...["edges-authenticate-callers at passed-on", "edges-require-tls-1.3 at admin"],
      ...["edges-require-tls-1.3 at administration", "edges-require-tls-1.3 at app"],
      "guarantees-are-enforced at internal",
    ]);
    expect(said.find(({ policy }) => policy === "certificates-end-soon-enough")?.message).to.match(
      /lasts 100 days; at most 90 are allowed/,
    );
    expect(said.find(({ policy }) => policy === "authorities-have-days-left")?.message).to.match(
      /ends in (19|20) days; at least 30/,
    );
    expect(printed).not.to.include(CANARY).and.not.to.include("-----BEGIN");
  });

  it("say nothing where all is as they want it, in the preview and in the run", async () => {
    current = program(true);
    const lenient = { "edges-authenticate-callers": { upstreamMayAsk: true } };
    expect(standards((await runner.preview(engine, lenient)).said)).to.deep.equal([]);
    const mandatory = {
      ...Object.fromEntries(STANDARDS.map((name) => [name, "mandatory"])),
      "edges-authenticate-callers": { enforcementLevel: "mandatory", upstreamMayAsk: true },
    };
    const from = engine.events.length;
    await engine.up(runner.options(mandatory));
    expect(engine.events.slice(from).join("\n")).not.to.include(CANARY);
    const { said } = await runner.preview(engine, lenient);
    expect(standards(said)).to.deep.equal([]);
    expect(
      said.map(({ policy }) => policy),
      "nothing is new any more",
    ).not.to.include("address-added");
  });

  it("are as strict as a team wants", async () => {
    current = program(true);
    const strict = {
      "edges-authenticate-callers": { upstreamMayAsk: true },
      "certificates-end-soon-enough": { enforcementLevel: "mandatory", days: 7 },
      "authorities-have-days-left": { days: 100_000 },
      "admin-routes-sign-in": { paths: ["/administration"] },
    };
    const { said, failure } = await runner.preview(engine, strict);
    expect(failure).to.be.a("string");
    expect(standards(said)).to.deep.equal([
      "admin-routes-sign-in at administration",
      "authorities-have-days-left at clients",
      "certificates-end-soon-enough at ada",
    ]);
  });
});

import { type Report, review, write } from "@tunnelplane/pulumi/review";
import { Folder, previewOf, runReview, runReviews, step, tlsEdge } from "./support";

const OFF = { mutualTls: { enabled: false, certificateAuthorityIds: [] } };
const CANARY = "canary-of-a-secret";
const dangerous = previewOf([
  tlsEdge("app", { before: {}, after: OFF }),
  tlsEdge("shop", { before: {}, after: OFF }),
]);
const moving = previewOf([
  tlsEdge("app", {
    before: { tlsTermination: { minVersion: "1.2" } },
    after: { tlsTermination: { minVersion: "1.3" } },
  }),
]);

describe("a report", () => {
  const folder = new Folder();

  it("ends in 2 where findings are as severe as --fail-on says, and in 0 where they are not", async () => {
    const high = folder.write("high.json", dangerous);
    const medium = folder.write("medium.json", moving);
    const ends: [string[], number][] = [
      [[high], 2],
      [[high, "--fail-on", "low"], 2],
      [[high, "--fail-on", "never"], 0],
      [[medium], 0],
      [[medium, "--fail-on", "medium"], 2],
    ];
    const ended = await runReviews(ends.map(([args]) => ({ args })));
    expect(ended.map(({ code }) => code)).to.deep.equal(ends.map(([, code]) => code));
  });

  it("ends in 0 once all of it, or each finding, or an earlier report is accepted", async () => {
    const file = folder.write("high.json", dangerous);
    const { stdout } = await runReview([file, "--format", "json"]);
    const { hash, findings } = JSON.parse(stdout) as Report;
    const each = findings.flatMap((finding) => ["--accept", finding.hash]);
    expect(findings).to.have.length(2);
    const more = previewOf([
      ...["app", "shop", "new"].map((name) => tlsEdge(name, { before: {}, after: OFF })),
    ]);
    const last = folder.write("last.json", stdout);
    const ends: [string[], number][] = [
      [[file, "--accept", hash], 0],
      [[file, ...each], 0],
      [[file, ...each.slice(2)], 2],
      [[file, "--baseline", last], 0],
      [[folder.write("more.json", more), "--baseline", last], 2],
    ];
    const ended = await runReviews(ends.map(([args]) => ({ args })));
    expect(ended.map(({ code }) => code)).to.deep.equal(ends.map(([, code]) => code));
  });

  it("has the keys that programs rely on", () => {
    const report = review(dangerous);
    expect(report).to.include({ version: 1 });
    expect(Object.keys(report)).to.deep.equal(
      "version hash access counts findings standing guarantees addresses changes limits".split(" "),
    );
    expect(report.findings[0]).to.include({
      ...{ rule: "client-certificate-dropped", severity: "high", address: "app.example.com:443" },
      name: "app",
    });
    expect(report.findings[0]?.cause).to.include({
      ...{ kind: "tls_edge", name: "app", property: "mutual_tls.enabled", file: "src/edges.ts" },
      line: 7,
    });
    expect(report.addresses[0]).to.have.keys("address", "offStack", "before", "after");
    expect(report.changes[0]).to.have.keys("op", "urn", "kind", "name");
  });

  it("begins with what the change lets in, in all formats", () => {
    const report = review(dangerous);
    const verdict =
      /^Opens: a connection to `app\.example\.com:443` from 198\.51\.100\.7 without a client certificate: closed → answered/;
    expect(report.access).to.include({ verdict: "opens" });
    expect(report.access.sentence).to.match(verdict);
    expect(JSON.parse(write(report, "json")).access).to.deep.equal(JSON.parse(JSON.stringify(report.access)));
    const [, title, , first] = write(report, "markdown").split("\n");
    expect(title).to.match(/^## Tunnels/);
    expect(first).to.match(/^\*\*Opens: a connection to `app\.example\.com:443`/);
    expect(write(report, "html")).to.match(/<\/h1>\n<p class="verdict">Opens: a connection to <code>app/);
    const { runs } = JSON.parse(write(report, "sarif"));
    const [note] = runs[0].invocations[0].toolExecutionNotifications;
    expect([note.message.text, runs[0].properties.verdict]).to.deep.equal([
      `${report.access.sentence} Not all objects were seen.`,
      "opens",
    ]);
    const nothing = review(previewOf([tlsEdge("app", { before: {}, after: {} })]));
    expect(nothing.access.sentence).to.equal("Opens nothing: no address is served otherwise.");
    expect(write(nothing, "markdown")).to.include("**Opens nothing: no address is served otherwise.");
  });

  it("is printed whole, however long it is", async () => {
    const many = Array.from({ length: 1000 }, (_, index) =>
      tlsEdge(`app${index}`, { before: {}, after: OFF }),
    );
    const { stdout, stderr, code } = await runReview([
      folder.write("many.json", previewOf(many)),
      "--format",
      "json",
    ]);
    expect(code).to.equal(2);
    expect(stderr).to.match(/^1000 findings fail the review, which ends with 2 \(--fail-on high\)/);
    expect((JSON.parse(stdout) as Report).findings).to.have.length(1000);
  });

  it("names in SARIF 2.1.0 the rule, the severity, the line of the program, and what it could not see", () => {
    const report = review(dangerous, { accept: [review(dangerous).findings[0]?.hash ?? ""] });
    const { version, runs } = JSON.parse(write(report, "sarif"));
    const notes = runs[0].invocations[0].toolExecutionNotifications;
    expect(report.limits).not.to.deep.equal([]);
    expect(notes.slice(1).map((note: { message: object }) => note.message)).to.deep.equal(
      report.limits.map((text) => ({ text })),
    );
    expect(version).to.equal("2.1.0");
    const [first, second] = runs[0].results;
    expect(first).to.include({ ruleId: "client-certificate-dropped", level: "error" });
    expect(runs[0].tool.driver.rules[first.ruleIndex].id).to.equal("client-certificate-dropped");
    expect(first.locations[0].physicalLocation).to.deep.equal({
      artifactLocation: { uri: "src/edges.ts" },
      region: { startLine: 7 },
    });
    expect(first.suppressions).to.have.length(1);
    expect(second).not.to.have.property("suppressions");
  });

  it("repeats no secret, token or PEM in any format", () => {
    const pem = `-----BEGIN CERTIFICATE-----\n${CANARY}\n-----END CERTIFICATE-----\n`;
    const preview = previewOf([
      step("CertificateAuthority", "clients", { before: { caPem: pem }, after: { caPem: `${pem}${pem}` } }),
      step("HttpsEdge", "site", {
        before: { hostports: ["www.example.com:443"] },
        after: { hostports: ["www.example.com:443"] },
      }),
      step("HttpsEdgeRoute", "route", {
        before: {
          edgeId: "id_of_site",
          match: "/",
          matchType: "path_prefix",
          oidc: { issuer: "https://id.example.com", clientId: "a", clientSecret: CANARY },
        },
        after: {
          edgeId: "id_of_site",
          match: "/",
          matchType: "path_prefix",
          oidc: { issuer: "https://id.example.org", clientId: "a", clientSecret: `${CANARY}2` },
        },
      }),
      step("EventDestination", "audit", { after: { target: { monitoringService: { apiKey: CANARY } } } }),
      step("TunnelCredential", "agent", {
        before: { acl: ["bind:a.example.com"], token: CANARY },
        after: { acl: [], token: CANARY },
      }),
    ]);
    const log = [
      { sequence: 0, timestamp: 1, diagnosticEvent: { message: CANARY, severity: "debug" } },
      { sequence: 1, timestamp: 1, resourcePreEvent: { metadata: { new: { inputs: { token: CANARY } } } } },
      {
        sequence: 2,
        timestamp: 1,
        policyEvent: {
          ...{ policyName: "edges-ask", policyPackName: "ours", enforcementLevel: "mandatory" },
          message: `<{%reset%}>Every edge asks. ${pem}<{%reset%}>`,
        },
      },
    ];
    const report = review(preview, { events: log.map((event) => JSON.stringify(event)).join("\n") });
    expect(report.violations).to.deep.equal([
      { pack: "ours", policy: "edges-ask", level: "mandatory", message: "Every edge asks. (PEM)" },
    ]);
    expect(report.findings.map(({ rule }) => rule)).to.include.members([
      "credential-widened",
      "sign-in-changed",
    ]);
    for (const format of ["markdown", "html", "json", "sarif"] as const) {
      expect(write(report, format), format).not.to.include(CANARY).and.not.to.include("-----BEGIN");
    }
    expect(write(report, "markdown")).to.include("edges-ask");
  });
});

import { review, write } from "@tunnelplane/pulumi/review";
import { previewOf, same, step, tlsEdge } from "./support";

const OFF = { mutualTls: { enabled: false, certificateAuthorityIds: [] } };
const raised = step("BotUser", "zz", {
  before: { name: "zz", role: "member" },
  after: { name: "zz", role: "admin" },
});
const office = (cidr: string) => ({ ipPolicyId: "id_of_office", cidr, action: "allow" });
const edge = (name: string) => {
  const inputs = { hostports: [`${name}.example.com:443`], ipRestriction: { ipPolicyIds: ["id_of_office"] } };
  return step("TlsEdge", name, { before: inputs, after: inputs });
};

describe("A comment", () => {
  it("has one entry for all findings of one rule and one cause, with a count, addresses and an example", () => {
    const report = review(
      previewOf([
        step("IpPolicy", "office", { before: {}, after: {} }),
        step("IpPolicyRule", "rule", { before: office("10.0.0.0/8"), after: office("0.0.0.0/0") }),
        ...Array.from({ length: 247 }, (_, index) => edge(`app${100 + index}`)),
        raised,
      ]),
    );
    expect(report.findings.filter(({ rule }) => rule === "network-opened")).to.have.length(247);
    const comment = write(report, "markdown");
    const entries = comment.split("\n").filter((line) => line.startsWith("- "));
    const [opened] = entries.filter((line) => line.includes("now admits every"));
    expect(entries.filter((line) => line.includes("now admits every"))).to.have.length(1);
    expect(opened)
      .to.include("**247 findings**, at `app100.example.com:443`, `app101.example.com:443`")
      .and.to.include("and 242 others")
      .and.to.include("`app100.example.com:443` now admits every IPv4 address (before: 10.0.0.0/8)");
    expect(comment).to.include("`role-raised`");
  });

  it("has one entry and one table for what one line of a program changes many times, as the page and SARIF have", () => {
    const report = review(
      previewOf([
        ...Array.from({ length: 45 }, (_, index) => tlsEdge(`app${100 + index}`, { before: {}, after: OFF })),
        tlsEdge("shop", { before: {}, after: { tlsTermination: { minVersion: "1.3" } } }),
      ]),
    );
    expect(report.findings).to.have.length(46);
    const comment = write(report, "markdown");
    expect(comment)
      .to.match(/- \*\*45 findings\*\*, at `app100\.example\.com:443`, .* and 40 others\. The first: /)
      .and.to.include("from `app100: mutual_tls.enabled`, `app101: mutual_tls.enabled`")
      .and.to.match(/\n\*\*45 addresses\*\*: `app100\.example\.com:443`, .* and 40 others\n\n\| \|/)
      .and.to.include("\n`shop.example.com:443`\n\n| |");
    expect(comment.match(/\| Client certificate \|/g)).to.have.length(1);
    const page = write(report, "html");
    expect(page.match(/<article class="finding/g)).to.have.length(2);
    expect(page.match(/<article id="address/g)).to.have.length(2);
    expect(page)
      .to.match(/<b>45 findings<\/b>\. The first: /)
      .and.to.include("<h3>45 addresses</h3>")
      .and.to.include("app144.example.com:443");
    const { results } = JSON.parse(write(report, "sarif")).runs[0];
    expect(results.map((one: { occurrenceCount: number }) => one.occurrenceCount)).to.deep.equal([45, 1]);
    expect(results[0].message.text).to.match(/^45 findings\. The first: /);
    expect(results[0].locations[0].logicalLocations).to.have.length(45);
    expect(JSON.parse(write(report, "json")).findings, "each, for programs").to.have.length(46);
  });

  it("has the guarantee that breaks and the address that changes, however many hold as before", () => {
    const guarantee = (name: string) =>
      same("Guarantee", name, {
        expect: "refused",
        addresses: [`${name}.example.com:443`],
        clientCertificate: "none",
      });
    const comment = write(
      review(
        previewOf([
          ...Array.from({ length: 1000 }, (_, index) => guarantee(`other${index}`)),
          guarantee("zz"),
          tlsEdge("zz", { before: {}, after: OFF }),
        ]),
      ),
      "markdown",
    );
    expect(comment.length).to.be.within(40_000, 60_000);
    expect(comment)
      .to.match(/### Guarantees\n\n.*\n\|---.*\n\| `zz` \|/)
      .and.to.match(/### Addresses that change\n\n`zz\.example\.com:443`/)
      .and.to.match(/Left out, because a comment holds no more: \d+ of 1001 guarantees/);
  });

  it("has an entry of every rule that was found, whatever is left out", () => {
    const many = Array.from({ length: 1000 }, (_, index) =>
      JSON.parse(
        JSON.stringify(tlsEdge(`app${index}`, { before: {}, after: OFF })).replaceAll("#7,3", `#${index},3`),
      ),
    );
    const low = step("ApiKey", "zz", { after: { ownerId: "usr_1" } });
    const report = review(previewOf([...many, raised, low]));
    const comment = write(report, "markdown");
    expect(comment.length).to.be.within(40_000, 60_000);
    expect(comment).to.include("### High").and.to.include(report.hash);
    expect(comment).to.match(/Left out, because a comment holds no more: \d+ of 1\d\d\d high findings/);
    for (const rule of new Set(report.findings.map((finding) => finding.rule)))
      expect(comment).to.include(`  \n  \`${rule}\``);
    expect(comment).to.include("`role-raised`").and.to.include("`key-without-end`");
  });

  it("says that nobody notices a change of descriptions alone, and names what changes", () => {
    const described = (before: object, after: object) =>
      review(
        previewOf([
          step("BotUser", "ci", { before: { name: "ci", ...before }, after: { name: "ci", ...after } }),
        ]),
      );
    const policy = (description: string) => ({ description });
    const unnoticed = review(
      previewOf([step("IpPolicy", "office", { before: policy("ours"), after: policy("theirs") })]),
    );
    expect(unnoticed).to.include({ unnoticed: true });
    expect(write(unnoticed, "markdown"))
      .to.include("Callers and owners will not notice it.")
      .and.to.include("`office` (ip_policy): `description` from `ours` to `theirs`");
    const noticed = described({ active: true }, { active: false });
    expect(noticed.findings).to.deep.equal([]);
    expect(noticed).not.to.have.property("unnoticed");
    for (const format of ["markdown", "html"] as const)
      expect(write(noticed, format)).not.to.include("will not notice");
    expect(write(noticed, "markdown")).to.include("`ci` (bot_user): `active` from true to false");
    expect(noticed.changes[0]?.fields).to.deep.equal([
      { kind: "bot_user", name: "ci", field: "active", before: true, after: false },
    ]);
  });

  it("names a secret that changed by its path, and no hash accepts that", () => {
    const inputs = { target: { monitoringService: { apiKey: "[secret]" } } };
    const audit = step("EventDestination", "audit", { before: inputs, after: inputs });
    const detailedDiff = { "target.monitoringService.apiKey": { kind: "update", inputDiff: true } };
    const preview = previewOf([{ ...audit, op: "update", detailedDiff }]);
    const report = review(preview);
    const [finding] = report.findings;
    expect(finding).to.include({
      rule: "key-replaced",
      secret: true,
      sentence:
        "The secret `target.monitoring_service.api_key` of the event destination `audit` has another value.",
    });
    expect(finding).not.to.have.any.keys("before", "after");
    const accepting = { accept: [report.hash, finding?.hash ?? ""], baseline: report };
    expect(review(preview, accepting).findings[0]).not.to.have.property("accepted");
    expect(write(report, "markdown")).to.contain(
      "To accept all of this but the findings about secrets: `--accept",
    );
  });
});

import * as tunnels from "@tunnelplane/pulumi";
import { type Report, review } from "@tunnelplane/pulumi/review";
import { RULES as ALL_RULES } from "@tunnelplane/sdk/meaning";
import type { Engine } from "../support/engine";
import { worldOfThisFile } from "../support/provider";
import type { Rest } from "../support/rest";
import { clientsPem, type Version } from "./scenarioParts";
import { COMPANIONS, declareAll, SCENARIOS } from "./scenarios";
import { Change, Folder, rulesIn } from "./support";

/** An object waits on the server alone, while a run replaces it: `api/replaces` shows that. */
const RULES = ALL_RULES.filter(({ rule }) => rule !== "waits-for");

const SAYS: Readonly<Record<string, readonly RegExp[]>> = {
  "destination-changed": [/stream\/events/, /stream\/events-of-others/],
  "key-replaced": [/`SHA256:.*\(before: `SHA256:/],
  "owner-changed": [/"before":"\w+","after":"\w+"/],
  "role-raised": [/an admin/, /before: member/],
  "sign-in-changed": [/https:\/\/id\.example\.org/],
  "validity-extended": [/1825 days \(before: 365 days\)/],
};

/** What other teams have on the server: protected or not, used or not. */
async function declareOthers(rest: Rest): Promise<void> {
  const made = [
    await rest.post("/edges/tls", { hostports: ["others.example.com:443"], description: "of another team" }),
    await rest.post("/credentials", { description: "of another team", acl: [] }),
    await rest.post("/ip_policies", { description: "that nobody uses" }),
    await rest.post("/api_keys", { description: "without an end" }),
  ];
  expect(made.map(({ status }) => status)).to.deep.equal([201, 201, 201, 201]);
}

describe("each rule, on the real engine and a server that holds objects of others", () => {
  const { world, server } = worldOfThisFile();
  let change: Change & { engine: Engine };
  const program = (version: Version) => async () => declareAll(version);

  before(async () => {
    await declareOthers(server.rest);
    change = await Change.of(world, server, program("base"));
    // Another team's edge admits whom a policy of this stack admits.
    const { ip_policies } = (await server.rest.get("/ip_policies?limit=100")).body;
    const office = ip_policies.find(
      ({ description }: { description: string }) => description === "network-opened",
    );
    const posted = await server.rest.post("/edges/tls", {
      hostports: ["of-others.example.com:443"],
      ip_restriction: { ip_policy_ids: [office.id] },
    });
    expect(posted.status).to.equal(201);
  });

  /** Each rule's findings by what they come from: a scenario, or something else. */
  const byScenario = ({ findings }: Report): Map<string, Report["findings"]> => {
    const found = new Map<string, Report["findings"]>();
    for (const finding of findings) {
      const scenario = Object.keys(SCENARIOS).find(
        (rule) => finding.cause.name === rule || finding.cause.name.startsWith(`${rule} `),
      );
      const key = scenario ?? `nothing of ours: ${finding.cause.name}`;
      found.set(key, [...(found.get(key) ?? []), finding]);
    }
    return found;
  };

  const ask = (preview: string): Promise<Report> =>
    review(preview, { url: server.url, apiKey: server.apiKey });
  /** The preview of a change that every rule finds something in. */
  let changed: string;
  before("preview the change", async () => {
    changed = await change.preview(program("changed"));
  });

  it("there is a scenario for each of them", () => {
    expect(Object.keys(SCENARIOS).sort()).to.deep.equal(RULES.map(({ rule }) => rule).sort());
  });

  it("is found in the change that it is for, with its severity and its cause, and nothing else is", async () => {
    const found = byScenario(await ask(changed));
    const rules = Object.fromEntries(
      [...found].map(([scenario, findings]) => [scenario, [...new Set(findings.map(({ rule }) => rule))]]),
    );
    const expected = RULES.map(({ rule }) => [rule, [rule, ...(COMPANIONS[rule] ?? [])].sort()]);
    for (const some of Object.values(rules)) some.sort();
    expect(rules).to.deep.equal(Object.fromEntries(expected));
    for (const { rule, severity } of RULES) {
      for (const finding of (found.get(rule) ?? []).filter((one) => one.rule === rule)) {
        expect(finding, rule).to.include({ severity, certain: true });
        expect(finding.cause.file, rule).to.match(/tests\/review\/(holderS|reservedS|s)cenarios\.ts$/);
        expect(finding.sentence, rule).to.match(/^[A-Z`].*\.$/);
        for (const words of SAYS[rule] ?? []) expect(JSON.stringify(finding), rule).to.match(words);
      }
    }
    const findings = [...found.values()].flat();
    const [dropped] = findings.filter(({ rule }) => rule === "client-certificate-dropped");
    expect(dropped?.cause).to.include({ kind: "tls_edge", property: "mutual_tls" });
    expect(dropped?.cause.line).to.be.a("number");
    const opened = (found.get("network-opened") ?? []).map(({ address, offStack }) => [address, offStack]);
    expect(opened).to.deep.equal([
      ["network-opened.example.com:443", false],
      ["of-others.example.com:443", true],
    ]);
  });

  it("is not found in a similar change that affects nobody", async () => {
    const report = await ask(await change.preview(program("near")));
    expect(report.changes.length).to.be.greaterThan(20);
    expect(
      report.findings.map(({ rule, cause, sentence }) => `${cause.name}: ${rule}: ${sentence}`),
    ).to.deep.equal([]);
  });

  it("is found without a server too, and what was not seen is said", () => {
    const alone = review(changed);
    const addresses = alone.findings.map(({ address }) => address);
    expect(addresses).to.include("network-opened.example.com:443");
    expect(addresses).not.to.include("of-others.example.com:443");
    expect(alone.limits.join()).to.match(/^No server was asked/);
    const changes = alone.changes.map(({ op, kind, name }) => `${op} ${kind} ${name}`);
    expect(changes).to.include("create ip_policy_rule network-opened 0.0.0.0/1");
    expect(changes.filter((change) => change.endsWith(" credential-reissued"))).to.deep.equal([
      "replace tunnel_credential credential-reissued",
    ]);
  });

  it("is found where --show-sames was forgotten: unchanged resources come from the server, or are uncertain", async () => {
    const short = await change.preview(program("changed"), []);
    const withServer = await ask(short);
    expect(rulesIn(withServer)).to.include(
      "client-certificate-dropped client-certificate-dropped.example.com:443",
    );
    expect(withServer.limits.join(" ")).to.include("without --show-sames").and.to.include("from the server");
    expect(review(short).limits.join(" ")).to.include("without --show-sames").and.to.include("uncertain");
  });

  it("is looked for in no preview that failed, which is refused with its errors, and in no stream", async () => {
    const failed = await change.preview(async () => {
      new tunnels.IpPolicy("office", {});
      throw new Error("there is no such office");
    });
    expect(() => review(failed)).to.throw(
      /^The preview is of a preview that failed \(\d errors?\): fix what it says, then preview again[\s\S]*there is no such office/,
    );
    process.env.PULUMI_ENABLE_STREAMING_JSON_PREVIEW = "true";
    const stream = await change
      .preview(async () => {})
      .finally(() => delete process.env.PULUMI_ENABLE_STREAMING_JSON_PREVIEW);
    expect(() => review(stream)).to.throw(/stream of engine events/);
  });

  it("names the line of a catalogue's entry, and sees modules that are resources of edges not made yet", async () => {
    const folder = new Folder();
    const file = folder.write(
      "tunnels.yaml",
      "tlsEdges:\n  # Open to anybody\n  open:\n    hostports: [open.example.com:443]\n",
    );
    const { findings } = review(
      await change.preview(async () => {
        tunnels.catalogue(file);
        const made = new tunnels.TlsEdge("made", { hostports: ["made.example.com:443"] });
        const clients = new tunnels.CertificateAuthority("more clients", { caPem: clientsPem });
        new tunnels.TlsEdgeMutualTls("certificates", {
          edgeId: made.id,
          certificateAuthorityIds: [clients.id],
        });
      }),
    );
    const at = (hostport: string) => findings.find(({ address }) => address === hostport);
    expect(at("open.example.com:443")?.cause).to.include({ name: "open", line: 3 });
    expect(at("open.example.com:443")?.cause.file).to.match(/\/tunnels\.yaml$/);
    expect(at("made.example.com:443")).to.include({ rule: "address-added", certain: true });
  });
});

import { failureOf, worldOfThisFile } from "../support/provider";
import { StandInServer } from "../support/standIn";
import { needsYaml, Project } from "./cli";
import { Plugin, secret } from "./plugin";

const CANARY = "Canary-that-came-as-a-secret";
const LONG = `Key-that-errors-cut-after-forty-characters-${"x".repeat(60)}`;

describe("A secret that is not a valid value", () => {
  const { server } = worldOfThisFile();
  const pluginFor = (url: string): Promise<Plugin> =>
    Plugin.start({ TUNNELPLANE_BASE_URL: url, TUNNELPLANE_API_KEY: "a-key" });

  let alone: Plugin;
  before("start a provider", async () => {
    alone = await pluginFor("http://127.0.0.1:9");
  });

  it("is not in what the engine prints, which still names the property and what was expected", async function () {
    needsYaml(this);
    const credential = (acl: string) => `type: tunnelplane:TunnelCredential, properties: { acl: [${acl}] }`;
    const project = new Project(
      server,
      `resources:\n  b: { type: "tunnelplane:TunnelCredential" }\noutputs: { token: "\${b.token}" }\n`,
    );
    expect((await project.pulumi("up", "--yes", "--skip-preview")).code).to.equal(0);
    const shown = await project.pulumi("stack", "output", "token", "--show-secrets");
    const token = shown.text.trim();
    expect(token).to.match(/^tpt_/);
    for (const [value, hidden] of [
      [`"\${b.token} x"`, token],
      [`{ "fn::secret": "${CANARY} x" }`, CANARY],
    ] as const) {
      project.write(
        `resources:\n  b: { type: "tunnelplane:TunnelCredential" }\n  a: { ${credential(value)} }\n`,
      );
      const { code, text } = await project.pulumi("up", "--yes", "--skip-preview");
      expect(code, text).to.equal(1);
      expect(text).to.contain("acl[0] [secret] is not an ACL rule: expected").and.not.to.contain(hidden);
    }
  });

  for (const [type, properties, ...words] of [
    ["TunnelCredential", { acl: [secret(`${CANARY} x`)] }, "acl[0] [secret] is not an ACL rule: expected"],
    ["TunnelCredential", { acl: secret([`${CANARY}${"x".repeat(100)}`]) }, "acl[0] [secret]"],
    [
      "TlsEdge",
      { hostports: [secret(`${CANARY}.example.com`)] },
      "hostports[0] must be",
      "for example [secret]",
    ],
    [
      "HttpsEdgeRoute",
      { userAgentFilter: { allow: [secret(`(${CANARY}`)] } },
      "userAgentFilter.allow[0] is not a regular expression",
    ],
    [
      "SshUserCertificate",
      { criticalOptions: { "source-address": secret(`192.0.2.0/24,${CANARY}`) } },
      'criticalOptions["source-address"]',
    ],
    [
      "IpPolicyRule",
      { ipPolicyId: "ipp_x", action: "allow", cidr: secret("198.51.100.77") },
      "cidr has no mask: write [secret]",
    ],
  ] as const) {
    it(`is hidden by a check of ${type} that says ${words.join(" … ")}`, async () => {
      const reasons = (await alone.check(type, properties)).join("\n");
      for (const word of words) expect(reasons).to.contain(word);
      expect(reasons.toLowerCase()).not.to.contain(CANARY.toLowerCase()).and.not.to.contain("198.51.100.77");
    });
  }

  it("is hidden in warnings", async () => {
    const plugin = await pluginFor("http://127.0.0.1:9");
    expect(
      await plugin.check("IpPolicyRule", { ipPolicyId: "ipp_x", action: "allow", cidr: secret("0.0.0.0/0") }),
    ).to.deep.equal([]);
    expect(plugin.logged.map(({ text }) => text)).to.deep.equal([
      "IpPolicyRule: `it` now admits every IPv4 address. (network-opened)",
    ]);
  });

  it("is hidden in errors of creations and updates where the server repeats it", async () => {
    const msg = `description "${CANARY}" is refused, as is ${CANARY.toUpperCase()}; and ${LONG.slice(0, 40)}…`;
    const body = JSON.stringify({
      error_code: "TP_1501",
      status_code: 409,
      msg,
      details: { operation_id: "op_0" },
    });
    const standIn = await StandInServer.start((_, response) =>
      response.writeHead(409, { "content-type": "application/json" }).end(body),
    );
    const plugin = await pluginFor(standIn.url);
    const expected = "description [secret] is refused, as is [secret]";
    expect(await failureOf(plugin.create("IpPolicy", { description: secret(CANARY) }))).to.contain(expected);
    expect(
      await failureOf(
        plugin.update("IpPolicy", "ipp_x", { description: "old" }, { description: secret(CANARY) }),
      ),
    ).to.contain(expected);
    expect(await failureOf(plugin.create("IpPolicy", { description: CANARY }))).to.contain(expected);
    const metadata = secret(LONG);
    expect(await failureOf(plugin.create("IpPolicy", { metadata }))).to.contain("; and [secret]…");
  });
});

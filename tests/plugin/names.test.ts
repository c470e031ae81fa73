import { failureOf } from "../support/provider";
import { Plugin } from "./plugin";

describe("A program in a language that does not check names", () => {
  let plugin: Plugin;
  before(async () => {
    plugin = await Plugin.start({ TUNNELPLANE_BASE_URL: "http://127.0.0.1:9", TUNNELPLANE_API_KEY: "a-key" });
  });

  for (const [type, properties, path, name] of [
    ["TlsEdge", { tls_termination: { min_version: "1.3" } }, "tls_termination", "tlsTermination"],
    ["TlsEdge", { tlsTermination: { min_version: "1.3" } }, "tlsTermination.min_version", "minVersion"],
    ["SshCertificateAuthority", { private_key_type: "ed25519" }, "private_key_type", "privateKeyType"],
    [
      "IpPolicyRule",
      { ip_policy_id: "ipp_x", ipPolicyId: "ipp_y", cidr: "192.0.2.0/24", action: "allow" },
      "ip_policy_id",
      "ipPolicyId",
    ],
  ] as const) {
    it(`gets an error that ${path} of ${type} is spelled ${name}`, async () => {
      expect(await plugin.check(type, properties)).to.deep.equal([
        `${path} is not a property here; did you mean \`${name}\`?`,
      ]);
    });
  }
});

describe("A name that the native provider does not know", () => {
  let plugin: Plugin;
  before(async () => {
    plugin = await Plugin.start({ TUNNELPLANE_BASE_URL: "http://127.0.0.1:9", TUNNELPLANE_API_KEY: "a-key" });
  });

  const { resources, functions } = require("../../plugin/schema.json") as {
    resources: object;
    functions: object;
  };

  for (const [what, failing, known] of [
    ["type", () => plugin.check("TlsEgde", {}), resources],
    ["function", () => plugin.invoke("getTlsEgde", {}), functions],
  ] as const) {
    it(`of a ${what} is answered with all that exist`, async () => {
      const [, listed = ""] = (await failureOf(failing())).split("there are ");
      expect(listed.split(", ")).to.have.members(Object.keys(known).map((token) => token.split(":")[2]));
    });
  }
});

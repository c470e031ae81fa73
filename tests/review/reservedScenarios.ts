import * as tunnels from "@tunnelplane/pulumi";
import { ending, lasting, type Scenario } from "./scenarioParts";

/** The scenarios of rules about reserved domains and their certificates. */
export const RESERVED_SCENARIOS: Readonly<Record<string, (it: Scenario) => unknown>> = {
  "domain-released": (it) => {
    new tunnels.HttpsEdge(`${it.rule} site`, { hostports: [`${it.rule}.example.com:443`] });
    if (!it.isChanged)
      new tunnels.ReservedDomain(it.rule, {
        domain: `${it.rule}.example.com`,
        description: it.pick("", "", "changed"),
      });
  },
  // The edge of another team has it.
  "already-taken": (it) =>
    it.isChanged && new tunnels.TlsEdge(it.rule, { hostports: ["others.example.com:443"] }),
  "restriction-not-enforced": (it) => {
    new tunnels.IpRestriction(it.rule, {
      ...{ type: "agent", ipPolicyIds: [it.office.id], enforced: it.pick(true, false) },
      description: it.pick("", "", "changed"),
    });
  },
  "certificate-ends-soon": (it) => {
    const { certificate_pem, private_key_pem } = it.pick(lasting, ending);
    new tunnels.TlsCertificate(it.rule, {
      certificatePem: certificate_pem,
      privateKeyPem: private_key_pem,
      description: it.pick("", "", "changed"),
    });
  },
};

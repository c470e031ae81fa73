// Checked by `npm run check`: each line that must not compile says so, and fails the check when it does.
import * as pulumi from "@pulumi/pulumi";
import * as tunnels from "@tunnelplane/pulumi";

/** A program as users write it. */
export function program(): Record<string, pulumi.Output<unknown>> {
  // Arguments: camelCase, values of other resources as they are, and no argument besides.
  const office = new tunnels.IpPolicy("office");
  const rule = new tunnels.IpPolicyRule("rule", {
    ipPolicyId: office.id,
    cidr: pulumi.output("192.0.2.0/24"),
    action: "allow",
  });
  // @ts-expect-error a rule needs a policy
  new tunnels.IpPolicyRule("rule", { cidr: "192.0.2.0/24", action: "allow" });
  // @ts-expect-error an action is allow or deny
  new tunnels.IpPolicyRule("rule", { ipPolicyId: office.id, cidr: "192.0.2.0/24", action: "refuse" });
  // @ts-expect-error programs write camelCase
  new tunnels.IpPolicyRule("rule", { ip_policy_id: office.id, cidr: "192.0.2.0/24", action: "allow" });
  // @ts-expect-error a resource stands for its id only where it is asked for it
  new tunnels.IpPolicyRule("rule", { ipPolicyId: office, cidr: "192.0.2.0/24", action: "allow" });
  // @ts-expect-error what the server computes is not an argument
  new tunnels.CertificateAuthority("ca", { caPem: "", notAfter: "2027-01-31T08:00:00Z" });
  const edge = new tunnels.TlsEdge("edge", {
    hostports: ["app.example.com:443"],
    ipRestriction: { ipPolicyIds: [office.id] },
    tlsTermination: { minVersion: "1.3" },
  });
  // @ts-expect-error there is no such version
  new tunnels.TlsEdge("edge", { tlsTermination: { minVersion: "1.1" } });
  new tunnels.TlsEdgeMutualTls("mutual", { edgeId: edge.id, certificateAuthorityIds: [] });
  // @ts-expect-error it belongs to an edge
  new tunnels.TlsEdgeMutualTls("mutual", { certificateAuthorityIds: [] });
  // Outputs: of the types that answers have, and not to be changed.
  const cidr: pulumi.Output<string> = rule.cidr;
  const action: pulumi.Output<"allow" | "deny"> = rule.action;
  // @ts-expect-error an output is not text yet
  const text: string = rule.cidr;
  // @ts-expect-error an output is read only
  rule.cidr = cidr;
  const key = new tunnels.ApiKey("key", { ownerId: new tunnels.BotUser("ci", { name: "ci" }).id });
  const ends: pulumi.Output<string | undefined> = key.expiresAt;
  // @ts-expect-error a key may last for ever
  const lasts: pulumi.Output<string> = key.expiresAt;
  // @ts-expect-error there is no such output
  key.secret;
  return { cidr, action, text: pulumi.output(text), ends, lasts, token: key.token };
}

// Arguments have names of their own, for functions that make them.
export const args: tunnels.TlsEdgeArgs = { hostports: ["app.example.com:443"] };
// @ts-expect-error it is called hostports
export const wrongArgs: tunnels.TlsEdgeArgs = { hostport: ["app.example.com:443"] };

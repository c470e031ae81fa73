import * as tunnels from "@tunnelplane/pulumi";

export interface Choices {
  /** The name under which the program is reached. */
  readonly host?: string;
  /** The network from which it may be reached. */
  readonly visitors?: string;
  /** Whether visitors are admitted or turned away. */
  readonly action?: "allow" | "deny";
}

/**
 * Declares hello.example.com: an agent with the token may serve it from anywhere, and only visitors of one
 * network reach it.
 */
export function firstTunnel({
  host = "hello.example.com",
  visitors = "127.0.0.0/8",
  action = "allow",
}: Choices = {}) {
  const policy = new tunnels.IpPolicy("visitors", { description: "who may come in" });
  new tunnels.IpPolicyRule("visitors", { ipPolicyId: policy.id, cidr: visitors, action });

  // The route has no backend: it goes to the agents that bind the hostport with `ssh -R`.
  const edge = new tunnels.HttpsEdge("hello", { hostports: [`${host}:443`] });
  new tunnels.HttpsEdgeRoute("all", {
    edgeId: edge.id,
    matchType: "path_prefix",
    match: "/",
    ipRestriction: { ipPolicyIds: [policy.id] },
  });
  const agent = new tunnels.TunnelCredential("agent", { acl: [`bind:${host}:443`] });

  // The gateway reads with this key, which cannot change anything.
  const gateway = new tunnels.BotUser("gateway", { name: "gateway", role: "gateway" });
  const key = new tunnels.ApiKey("gateway", { ownerId: gateway.id });

  return { hostports: edge.hostports, authtoken: agent.token, gatewayKey: key.token };
}

import { certificate } from "./fixtures";
import type { Json, serverOfThisFile } from "./support";

/** One of the five modules of a TLS edge, ready to be tried. */
export interface Module {
  readonly name: string;
  /** Two bodies that differ, and what the server answers to each. */
  readonly first: Json;
  readonly firstAnswer: Json;
  readonly second: Json;
  readonly secondAnswer: Json;
}

export const MODULES = ["backend", "ip_restriction", "mutual_tls", "tls_termination", "policies"] as const;

export const policyNamed = (name: string, type = "deny"): Json => ({
  name,
  expressions: ["conn.client_ip == '192.0.2.1'"],
  actions: [{ type, config: {} }],
});

/** What the modules of a TLS edge refer to, created on the server. */
export async function moduleFixtures(server: ReturnType<typeof serverOfThisFile>): Promise<Record<(typeof MODULES)[number], Module>> {
  const refTo = async (path: string, body: Json): Promise<{ id: string; uri: string }> => {
    const { id, uri } = await server.created(path, body);
    return { id, uri };
  };
  const backend = await refTo("/backends/tunnel_group", { labels: { app: "one" } });
  const backend2 = await refTo("/backends/tunnel_group", { labels: { app: "two" } });
  const [policy, policy2] = [await refTo("/ip_policies", {}), await refTo("/ip_policies", {})];
  const ca = await refTo("/certificate_authorities", { ca_pem: certificate().pem });
  const ca2 = await refTo("/certificate_authorities", { ca_pem: certificate().pem });
  return {
    backend: {
      name: "backend",
      first: { enabled: false, backend_id: backend.id },
      firstAnswer: { enabled: false, backend },
      second: { backend_id: backend2.id },
      secondAnswer: { enabled: true, backend: backend2 },
    },
    ip_restriction: {
      name: "ip_restriction",
      first: { enabled: false, ip_policy_ids: [policy.id, policy2.id] },
      firstAnswer: { enabled: false, ip_policies: [policy, policy2] },
      second: { ip_policy_ids: [policy2.id] },
      secondAnswer: { enabled: true, ip_policies: [policy2] },
    },
    mutual_tls: {
      name: "mutual_tls",
      first: { enabled: false, certificate_authority_ids: [ca.id, ca2.id] },
      firstAnswer: { enabled: false, certificate_authorities: [ca, ca2] },
      second: { certificate_authority_ids: [ca2.id] },
      secondAnswer: { enabled: true, certificate_authorities: [ca2] },
    },
    tls_termination: {
      name: "tls_termination",
      first: { enabled: false, terminate_at: "edge", min_version: "1.3" },
      firstAnswer: { enabled: false, terminate_at: "edge", min_version: "1.3" },
      second: { terminate_at: "edge" },
      secondAnswer: { enabled: true, terminate_at: "edge", min_version: "1.2" },
    },
    policies: {
      name: "policies",
      first: { enabled: false, inbound: [policyNamed("in")], outbound: [policyNamed("out")] },
      firstAnswer: { enabled: false, inbound: [policyNamed("in")], outbound: [policyNamed("out")] },
      second: { inbound: [policyNamed("only", "log")], outbound: [] },
      secondAnswer: { enabled: true, inbound: [policyNamed("only", "log")], outbound: [] },
    },
  };
}

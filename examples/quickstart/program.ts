import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as tunnels from "@tunnelplane/pulumi";

export interface Choices {
  /** The certificate, beside this file, of the authority that signs our clients' certificates. */
  readonly clientsCa?: "clients-ca-2026.pem" | "clients-ca-2027.pem";
  /** Whether only the office may connect. */
  readonly officeOnly?: boolean;
}

/** Declares app.example.com: reachable from the office, with a client certificate, over TLS 1.3. */
export function quickstart({ clientsCa = "clients-ca-2026.pem", officeOnly = true }: Choices = {}) {
  const clients = new tunnels.CertificateAuthority("clients", {
    description: "signs our clients' certificates",
    caPem: readFileSync(join(__dirname, clientsCa), "utf8"),
  });

  const office = new tunnels.IpPolicy("office", { description: "where we sit" });
  new tunnels.IpPolicyRule("berlin", { ipPolicyId: office.id, cidr: "192.0.2.0/24", action: "allow" });

  const web = new tunnels.TunnelGroupBackend("web", { labels: { service: "web", env: "prod" } });

  const edge = new tunnels.TlsEdge("app", {
    description: "the app",
    hostports: ["app.example.com:443"],
    backend: { backendId: web.id },
    mutualTls: { certificateAuthorityIds: [clients.id] },
    tlsTermination: { minVersion: "1.3" },
    ipRestriction: officeOnly ? { ipPolicyIds: [office.id] } : undefined,
  });

  const agent = new tunnels.TunnelCredential("agent", {
    description: "the app's servers",
    acl: ["bind:app.example.com", "bind:service=web"],
  });

  return { edge: edge.uri, hostports: edge.hostports, authtoken: agent.token };
}

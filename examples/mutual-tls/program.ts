import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as tunnels from "@tunnelplane/pulumi";

export interface Choices {
  /** The certificate of the authority that signs our partners' certificates. */
  readonly caPem?: string;
  readonly minVersion?: "1.2" | "1.3";
}

/**
 * Declares partners.example.com: an edge that only clients with a certificate of our partners' authority may
 * use.
 */
export function mutualTls({
  caPem = readFileSync(join(__dirname, "partners-ca.pem"), "utf8"),
  minVersion = "1.2",
}: Choices = {}) {
  const partners = new tunnels.CertificateAuthority("partners", {
    description: "signs our partners' certificates",
    caPem,
  });
  const gateway = new tunnels.TunnelGroupBackend("gateway", { labels: { service: "partner-gateway" } });

  const edge = new tunnels.TlsEdge("partners", {
    hostports: ["partners.example.com:443"],
    backend: { backendId: gateway.id },
    mutualTls: { certificateAuthorityIds: [partners.id] },
    tlsTermination: { minVersion },
  });

  return { edge: edge.uri, trusts: partners.subjectCommonName, until: partners.notAfter };
}

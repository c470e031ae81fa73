import { previewOf, same, step } from "./support";

const edgeId = (name: string): string => `id_of_${name}`;
const MUTUAL = { enabled: true, certificateAuthorityIds: ["id_of_clients"] };
const OFFICE = { enabled: true, ipPolicyIds: ["id_of_office-network"] };

function edge(name: string, before: object | undefined, after: object | undefined): object {
  const whole = (own: object | undefined) => own && { hostports: [`${name}.example.com:443`], ...own };
  return step("TlsEdge", name, { before: whole(before), after: whole(after) });
}

/** A preview with something of everything that a page shows: a change that a reviewer should stop. */
export const richPreview = (): string => {
  const split = { backends: { id_of_old: 90, id_of_fresh: 10 } };
  const route = { edgeId: edgeId("site"), matchType: "path_prefix" };
  const oidc = { issuer: "https://id.example.com", clientId: "site", scopes: ["openid"] };
  return previewOf([
    same("CertificateAuthority", "clients", { caPem: "", description: "Partners of the shop" }),
    same("IpPolicy", "office-network", { description: "Our offices" }),
    step("IpPolicyRule", "office-berlin", {
      before: { ipPolicyId: "id_of_office-network", cidr: "203.0.113.0/24", action: "allow" },
      after: { ipPolicyId: "id_of_office-network", cidr: "0.0.0.0/0", action: "allow" },
    }),
    same("TunnelGroupBackend", "old", { labels: { release: "old" } }),
    same("TunnelGroupBackend", "fresh", { labels: { release: "fresh" } }),
    step("WeightedBackend", "split", {
      before: split,
      after: { backends: { id_of_old: 10, id_of_fresh: 90 } },
    }),
    edge(
      "app",
      { mutualTls: MUTUAL, ipRestriction: OFFICE, backend: { backendId: "id_of_split" } },
      { ipRestriction: OFFICE, backend: { backendId: "id_of_split" } },
    ),
    edge("shop", { mutualTls: MUTUAL }, { mutualTls: MUTUAL, tlsTermination: { minVersion: "1.3" } }),
    edge("partners", undefined, { mutualTls: MUTUAL, backend: { backendId: "id_of_old" } }),
    edge("trial-of-the-new-shop", undefined, { backend: { backendId: "id_of_fresh" } }),
    edge("gone", { mutualTls: MUTUAL }, undefined),
    same("HttpsEdge", "site", { hostports: ["site.example.com:443"] }),
    step("HttpsEdgeRoute", "admin", {
      before: { ...route, match: "/admin", oidc },
      after: { ...route, match: "/admin", oidc: { ...oidc, issuer: "https://login.example.org" } },
    }),
    step("TunnelCredential", "agent", { before: { acl: ["bind:app.example.com"] }, after: { acl: [] } }),
    same("IpPolicy", "of-the-former-office", { description: "Not used any more" }),
  ]);
};

import type { Answers } from "@tunnelplane/sdk";

/**
 * The kinds of objects that a gateway enforces, each with the fields that a translation cannot do without.
 */
export const NEEDED_FIELDS = {
  tls_edge: ["id", "hostports"],
  https_edge: ["id", "hostports", "routes"],
  tcp_edge: ["id", "hostports"],
  tunnel_group_backend: ["id", "labels"],
  failover_backend: ["id", "backends"],
  weighted_backend: ["id", "backends"],
  http_response_backend: ["id", "status_code"],
  static_backend: ["id", "address"],
  ip_policy_rule: ["id", "cidr", "action", "ip_policy"],
  certificate_authority: ["id", "ca_pem"],
  tls_certificate: ["id", "certificate_pem", "private_key_pem"],
  reserved_domain: ["id", "domain"],
  ip_restriction: ["id", "type", "enforced", "ip_policies"],
} as const satisfies { readonly [K in keyof Answers]?: readonly (keyof Answers[K])[] };

export type EnforcedKind = keyof typeof NEEDED_FIELDS;

export const isEnforcedKind = (kind: string): kind is EnforcedKind => Object.hasOwn(NEEDED_FIELDS, kind);

export const ENFORCED_KINDS: readonly EnforcedKind[] = Object.keys(NEEDED_FIELDS).filter(isEnforcedKind);

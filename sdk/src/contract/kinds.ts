// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.

/** The kinds of objects. */
export const KINDS = [
  "tunnel_credential",
  "ssh_credential",
  "ssh_certificate_authority",
  "ssh_user_certificate",
  "ssh_host_certificate",
  "certificate_authority",
  "ip_policy",
  "ip_policy_rule",
  "tunnel_group_backend",
  "failover_backend",
  "weighted_backend",
  "http_response_backend",
  "static_backend",
  "tls_edge",
  "tcp_edge",
  "https_edge",
  "https_edge_route",
  "tls_certificate",
  "reserved_domain",
  "reserved_addr",
  "ip_restriction",
  "event_destination",
  "event_subscription",
  "guarantee",
  "project",
  "membership",
  "api_key",
  "bot_user",
  "workload_identity",
] as const;

export type Kind = (typeof KINDS)[number];

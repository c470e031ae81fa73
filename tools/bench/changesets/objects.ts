/** An object of a change set. */
export interface SetObject {
  readonly kind: keyof typeof PATHS;
  readonly key: string;
  readonly fields: Record<string, unknown>;
}

const PATHS = {
  tunnel_group_backend: "/backends/tunnel_group",
  weighted_backend: "/backends/weighted",
  ip_policy: "/ip_policies",
  ip_policy_rule: "/ip_policy_rules",
  tls_edge: "/edges/tls",
} as const;

export const pathOf = (kind: SetObject["kind"]): string => PATHS[kind];

/** Objects of five kinds that refer to each other; those that others refer to come first. */
export function objectsOf(count: number): SetObject[] {
  const each = Array.from({ length: Math.ceil(count / 5) }, (_, index) => index);
  return [
    ...each.map(
      (n): SetObject => ({
        kind: "tunnel_group_backend",
        key: `group${n}`,
        fields: { labels: { service: `web${n}` } },
      }),
    ),
    ...each.map(
      (n): SetObject => ({ kind: "ip_policy", key: `policy${n}`, fields: { description: `policy ${n}` } }),
    ),
    ...each.map(
      (n): SetObject => ({
        kind: "weighted_backend",
        key: `spread${n}`,
        fields: { backends: { [`$key:tunnel_group_backend/group${n}`]: 100 } },
      }),
    ),
    ...each.map(
      (n): SetObject => ({
        kind: "ip_policy_rule",
        key: `rule${n}`,
        fields: { ip_policy_id: { $key: `ip_policy/policy${n}` }, cidr: "192.0.2.0/24", action: "allow" },
      }),
    ),
    ...each.map(
      (n): SetObject => ({
        kind: "tls_edge",
        key: `edge${n}`,
        fields: {
          hostports: [`host${n}.example.com:443`],
          backend: { backend_id: { $key: `weighted_backend/spread${n}` } },
          ip_restriction: { ip_policy_ids: [{ $key: `ip_policy/policy${n}` }] },
          tls_termination: { min_version: "1.3" },
        },
      }),
    ),
  ].slice(0, count);
}

/** The same as a catalogue. */
export function catalogueOf(count: number): string {
  const each = Array.from({ length: Math.ceil(count / 5) }, (_, index) => index);
  const collection = (name: string, entry: (n: number) => string) => [
    `${name}:`,
    ...each.map((n) => `  ${entry(n)}`),
  ];
  return [
    ...collection("tunnelGroupBackends", (n) => `group${n}: { labels: { service: web${n} } }`),
    ...collection("ipPolicies", (n) => `policy${n}: { description: policy ${n} }`),
    ...collection("weightedBackends", (n) => `spread${n}: { backends: { group${n}: 100 } }`),
    ...collection(
      "ipPolicyRules",
      (n) => `rule${n}: { ipPolicyId: policy${n}, cidr: 192.0.2.0/24, action: allow }`,
    ),
    ...collection(
      "tlsEdges",
      (n) =>
        `edge${n}: { hostports: ["host${n}.example.com:443"], backend: { backendId: spread${n} }, ipRestriction: { ipPolicyIds: [policy${n}] }, tlsTermination: { minVersion: "1.3" } }`,
    ),
  ].join("\n");
}

import type { ModuleName } from "@tunnelplane/sdk/contract";
import type { Json, serverOfThisFile } from "./expect";
import { certificate } from "./fixtures";

export interface Module {
  /** Two different bodies, with the server's answer to each. */
  readonly first: Json;
  readonly firstAnswer: Json;
  readonly second: Json;
  readonly secondAnswer: Json;
}

export const oidc = {
  issuer: "https://id.example.com",
  client_id: "shop",
  client_secret: "known to the shop only",
};

const wholeOidc = {
  ...oidc,
  options_passthrough: true,
  cookie_prefix: "shop_",
  inactivity_timeout: 600,
  maximum_duration: 86_400,
  scopes: ["openid", "email"],
  require_claims: { email: ["*@example.com"], "realm_access.roles": ["staff", "admin"] },
};

export const jwtValidation = {
  options_passthrough: true,
  issuer: { allow_list: [{ value: "https://id.example.com" }, { value: "https://id.example.org" }] },
  audience: { allow_list: [{ value: "shop" }, { value: "till" }] },
  http: {
    tokens: [
      { type: "jwt", method: "header", name: "Authorization", prefix: "Bearer " },
      { type: "at+jwt", method: "body", name: "token", prefix: "" },
    ],
  },
  jws: {
    allowed_algorithms: ["RS256", "ES256"],
    keys: { sources: { additional_jkus: ["https://id.example.com/jwks", "https://id.example.org/jwks"] } },
  },
};
const CLAIMS = { scope: ["*read*"], "https://example.com/roles": ["admin"] };
const otherJwtValidation = {
  issuer: { allow_list: [{ value: "https://other.example.com" }] },
  audience: { allow_list: [{ value: "other" }] },
  http: { tokens: [{ type: "it+jwt", method: "body", name: "jwt", prefix: "x-" }] },
  jws: {
    allowed_algorithms: ["PS512"],
    keys: { sources: { additional_jkus: ["https://other.example.com/jwks"] } },
  },
};

export const policyNamed = (name: string, type = "deny"): Json => ({
  name,
  expressions: ["conn.client_ip == '192.0.2.1'"],
  actions: [{ type, config: {} }],
});

const changed = { add: { "X-Team": "100 % ours" }, remove: ["x-debug", "X-Trace"] };
const headers: Module = {
  ...{ first: { ...changed, enabled: false }, firstAnswer: { ...changed, enabled: false } },
  ...{ second: { remove: ["x-debug"] }, secondAnswer: { enabled: true, add: {}, remove: ["x-debug"] } },
};
const breaker = {
  ...{ tripped_duration: 60, rolling_window: 30, num_buckets: 5, volume_threshold: 20 },
  error_threshold_percentage: 0.25,
};

/** The modules of the type with this id prefix. Creates the objects that they refer to. */
export async function moduleFixtures(
  server: Pick<ReturnType<typeof serverOfThisFile>, "created">,
  prefix: string,
): Promise<Record<ModuleName, Module>> {
  // Only TLS edges have a choice.
  const place = prefix === "edgtls" ? { terminate_at: "edge" } : {};
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
      first: { enabled: false, backend_id: backend.id },
      firstAnswer: { enabled: false, backend },
      second: { backend_id: backend2.id },
      secondAnswer: { enabled: true, backend: backend2 },
    },
    ip_restriction: {
      first: { enabled: false, ip_policy_ids: [policy.id, policy2.id] },
      firstAnswer: { enabled: false, ip_policies: [policy, policy2] },
      second: { ip_policy_ids: [policy2.id] },
      secondAnswer: { enabled: true, ip_policies: [policy2] },
    },
    mutual_tls: {
      first: { enabled: false, certificate_authority_ids: [ca.id, ca2.id] },
      firstAnswer: { enabled: false, certificate_authorities: [ca, ca2] },
      second: { certificate_authority_ids: [ca2.id] },
      secondAnswer: { enabled: true, certificate_authorities: [ca2] },
    },
    tls_termination: {
      first: { enabled: false, ...place, min_version: "1.3" },
      firstAnswer: { enabled: false, ...place, min_version: "1.3" },
      second: place,
      secondAnswer: { enabled: true, ...place, min_version: "1.2" },
    },
    oidc: {
      first: { ...wholeOidc, enabled: false },
      firstAnswer: { ...wholeOidc, enabled: false },
      second: { ...oidc, options_passthrough: false },
      secondAnswer: {
        ...{ ...oidc, enabled: true, options_passthrough: false, cookie_prefix: "" },
        ...{ inactivity_timeout: 0, maximum_duration: 0, scopes: [], require_claims: {} },
      },
    },
    jwt_validation: {
      first: { ...jwtValidation, require_claims: CLAIMS, enabled: false },
      firstAnswer: { ...jwtValidation, require_claims: CLAIMS, enabled: false },
      second: otherJwtValidation,
      secondAnswer: { ...otherJwtValidation, enabled: true, options_passthrough: false, require_claims: {} },
    },
    user_agent_filter: {
      first: { enabled: false, allow: ["^Mozilla/5\\.0", "(?i)bot"], deny: ["^curl/"] },
      firstAnswer: { enabled: false, allow: ["^Mozilla/5\\.0", "(?i)bot"], deny: ["^curl/"] },
      second: { allow: ["^Opera"] },
      secondAnswer: { enabled: true, allow: ["^Opera"], deny: [] },
    },
    request_headers: headers,
    response_headers: headers,
    compression: {
      ...{ first: { enabled: false }, firstAnswer: { enabled: false }, second: {} },
      secondAnswer: { enabled: true },
    },
    circuit_breaker: {
      first: { ...breaker, enabled: false },
      firstAnswer: { ...breaker, enabled: false },
      second: { volume_threshold: 3 },
      secondAnswer: {
        ...{ enabled: true, tripped_duration: 10, rolling_window: 10, num_buckets: 10 },
        ...{ volume_threshold: 3, error_threshold_percentage: 50 },
      },
    },
    webhook_verification: {
      first: { enabled: false, provider: "github", secret: "known to GitHub too" },
      firstAnswer: { enabled: false, provider: "github", secret: null },
      second: { provider: "stripe", secret: "whsec_known" },
      secondAnswer: { enabled: true, provider: "stripe", secret: null },
    },
    policies: {
      first: { enabled: false, inbound: [policyNamed("in")], outbound: [policyNamed("out")] },
      firstAnswer: { enabled: false, inbound: [policyNamed("in")], outbound: [policyNamed("out")] },
      second: { inbound: [policyNamed("only", "log")], outbound: [] },
      secondAnswer: { enabled: true, inbound: [policyNamed("only", "log")], outbound: [] },
    },
  };
}

import { z } from "zod";
import { defineResource, type Settled } from "../core/definition";
import { description, metadata, reference } from "../core/fields";
import { mark } from "../core/marks";
import { waitsFor } from "../core/waiting";
import { routePath } from "../formats/http";
import { circuitBreaker } from "../modules/circuitBreaker";
import { compression } from "../modules/compression";
import { backend, ipRestriction } from "../modules/edgeModules";
import { requestHeadersModule, responseHeadersModule } from "../modules/headers";
import { jwtValidation } from "../modules/jwtValidation";
import { oidc } from "../modules/oidc";
import { policies } from "../modules/policies";
import { userAgentFilter } from "../modules/userAgentFilter";
import { mistakeInSecret, webhookVerification } from "../modules/webhookVerification";

/** The mistake of a route that checks webhooks and has no secret. */
const SECRET_MISSING = "must be set: none is stored yet; send the secret that the service signs with";

interface WithWebhook {
  readonly webhook_verification?: { readonly provider?: string; readonly secret?: string | null };
}

/** A secret that only gateways read cannot be sent back: without one, the stored one stays. */
function keepSecret(given: WithWebhook, before: WithWebhook): Settled {
  const { webhook_verification: module } = given;
  if (!module || module.secret) return { fields: { ...given } };
  const secret = before.webhook_verification?.secret;
  const mistake = secret ? mistakeInSecret(module.provider, secret) : SECRET_MISSING;
  return mistake
    ? { path: ["webhook_verification", "secret"], message: mistake }
    : { fields: { ...given, webhook_verification: { ...module, secret } } };
}

/**
 * Route of an HTTPS edge: its modules are the spec's, the route itself follows api-decisions "HTTPS edges and
 * routes".
 */
export const httpsEdgeRoute = defineResource({
  type: "HttpsEdgeRoute",
  kind: "https_edge_route",
  title: "HTTPS edge route",
  doc: "Handles the requests whose path matches: its modules decide who may send them, and its backend gets them.",
  path: "/edges/https/{edge_id}/routes",
  listKey: "routes",
  idPrefix: "edghtsrt",
  readByGateways: true,
  idField: "route_id",
  fields: {
    edge_id: mark(reference("https_edge", { cascade: true }), { immutable: true }).meta({
      description: "The edge that the route belongs to. Set at creation only.",
    }),
    match_type: z
      .enum(["exact_path", "path_prefix"])
      .meta({ description: "Whether `match` is the whole path or a plain beginning of it." }),
    match: routePath().meta({
      description:
        "The path, beginning with `/`, in the normal form of URLs, at most 1,024 bytes. A prefix is a plain beginning: `/admin` takes `/admin/x` and `/adminx` too. `/Admin` is another path. Each path is unique for its `match_type` on an edge.",
    }),
    description: description(),
    metadata: metadata(),
    backend: backend(),
    ip_restriction: ipRestriction(),
    oidc: oidc(),
    jwt_validation: jwtValidation(),
    user_agent_filter: userAgentFilter(),
    policies: policies({ http: true }),
    request_headers: requestHeadersModule(),
    response_headers: responseHeadersModule(),
    compression: compression(),
    circuit_breaker: circuitBreaker(),
    webhook_verification: webhookVerification(),
  },
  computed: waitsFor(),
  settle: keepSecret,
  findBy: ["edge_id", "match_type", "match"],
  unique: (sent) => [
    {
      scope: `route of ${sent.edge_id}`,
      key: `${sent.match_type} ${sent.match}`,
      path: ["match"],
      taken: "is matched with the same `match_type` by another route of the edge; change that route instead",
    },
  ],
  sample: {
    edge_id: "https_edge/site",
    match_type: "path_prefix",
    match: "/api",
    backend: { backend_id: "tunnel_group_backend/web" },
    ip_restriction: { ip_policy_ids: ["ip_policy/office"] },
    oidc: {
      issuer: "https://id.example.com",
      client_id: "site",
      client_secret: "a secret of the provider",
      scopes: ["openid", "email"],
      maximum_duration: 28800,
      require_claims: { email: ["*@example.com"] },
    },
    jwt_validation: {
      issuer: { allow_list: [{ value: "https://id.example.com" }] },
      audience: { allow_list: [{ value: "api" }] },
      http: { tokens: [{ type: "jwt", method: "header", name: "Authorization", prefix: "Bearer " }] },
      jws: {
        allowed_algorithms: ["RS256"],
        keys: { sources: { additional_jkus: ["https://id.example.com/jwks"] } },
      },
    },
    user_agent_filter: { deny: ["^curl/"] },
    request_headers: { add: { "x-team": "shop" }, remove: ["x-debug"] },
    response_headers: { add: { "strict-transport-security": "max-age=31536000" }, remove: ["x-powered-by"] },
    compression: {},
    circuit_breaker: { error_threshold_percentage: 0.5, volume_threshold: 20 },
    webhook_verification: { provider: "github", secret: "a secret of the repository" },
    policies: {
      inbound: [
        {
          name: "slow down",
          expressions: ['req.path.startsWith("/api/search")'],
          actions: [
            {
              type: "rate-limit",
              config: { name: "search", capacity: 30, rate: "60s", bucket_key: ["conn.client_ip"] },
            },
          ],
        },
      ],
    },
  },
  example: `const api = new tunnels.HttpsEdgeRoute("api", {
  edgeId: site.id,
  matchType: "path_prefix",
  match: "/api",
  backend: { backendId: web.id },
  jwtValidation: {
    issuer: { allowList: [{ value: "https://id.example.com" }] },
    audience: { allowList: [{ value: "api" }] },
    http: { tokens: [{ type: "jwt", method: "header", name: "Authorization", prefix: "Bearer " }] },
    jws: { allowedAlgorithms: ["RS256"], keys: { sources: { additionalJkus: ["https://id.example.com/jwks"] } } },
  },
});`,
});

import * as pulumi from "@pulumi/pulumi";
import { makeCertificates, makeSshKey } from "./provider";
import type { Classes } from "./providers";

const publicKey = makeSshKey();
const { authority } = makeCertificates("clients");

/** One of each class that there is, with every kind of value that its arguments take. */
export function oneOfEach(tunnels: Classes): void {
  const bot = new tunnels.BotUser("bot", { name: "ci" });
  new tunnels.ApiKey("key", { ownerId: bot.id });
  new tunnels.TunnelCredential("credential", {
    ownerId: bot.id,
    acl: ["bind:*.example.com"],
    metadata: '{"team":"a"}',
  });
  new tunnels.SshCredential("ssh", { publicKey });
  const sshAuthority = new tunnels.SshCertificateAuthority("ssh-authority", {
    privateKeyType: "ecdsa",
    ellipticCurve: "384",
  });
  const signed = { sshCertificateAuthorityId: sshAuthority.id, publicKey, principals: ["ada"] };
  new tunnels.SshUserCertificate("user-certificate", {
    ...signed,
    criticalOptions: { "force-command": "uptime" },
  });
  new tunnels.SshHostCertificate("host-certificate", signed);
  const ca = new tunnels.CertificateAuthority("ca", { caPem: authority });
  const policy = new tunnels.IpPolicy("policy");
  new tunnels.IpPolicyRule("rule", { ipPolicyId: policy.id, cidr: "2001:db8::/32", action: "deny" });

  const group = new tunnels.TunnelGroupBackend("group", { labels: { some_key: "x", "other-key": "y" } });
  const fixed = new tunnels.StaticBackend("static", {
    address: "[2001:db8::7]:8080",
    tls: { enabled: true },
  });
  const response = new tunnels.HttpResponseBackend("response", {
    statusCode: 503,
    headers: { "retry-after": "60" },
    body: "later",
  });
  const weights = pulumi.all([group.id, fixed.id]).apply(([a, b]) => ({ [a]: 9, [b]: 1 }));
  const weighted = new tunnels.WeightedBackend("weighted", { backends: weights });
  new tunnels.FailoverBackend("failover", { backends: [weighted.id, response.id] });

  const backend = { backendId: group.id };
  const ipRestriction = { ipPolicyIds: [policy.id] };
  const mutualTls = { certificateAuthorityIds: [ca.id] };
  const policies = {
    inbound: [
      {
        name: "no",
        expressions: ["true"],
        actions: [{ type: "deny" as const, config: { status_code: 403 } }],
      },
    ],
  };
  new tunnels.TlsEdge("tls-inline", {
    hostports: ["a.example.com:443"],
    backend,
    ipRestriction,
    mutualTls,
    tlsTermination: {},
    policies,
  });
  const tls = { edgeId: new tunnels.TlsEdge("tls").id };
  new tunnels.TlsEdgeBackend("tls-backend", { ...tls, ...backend });
  new tunnels.TlsEdgeIpRestriction("tls-restriction", { ...tls, ...ipRestriction });
  new tunnels.TlsEdgeMutualTls("tls-mutual", { ...tls, ...mutualTls, enabled: false });
  new tunnels.TlsEdgeTlsTermination("tls-termination", { ...tls, minVersion: "1.3" });
  new tunnels.TlsEdgePolicies("tls-policies", { ...tls, ...policies });

  const oidc = { issuer: "https://id.example.com", clientId: "site", clientSecret: "hush" };
  const jwtValidation = {
    issuer: { allowList: [{ value: "https://id.example.com" }] },
    audience: { allowList: [{ value: "site" }] },
    http: {
      tokens: [
        { type: "at+jwt" as const, method: "header" as const, name: "Authorization", prefix: "Bearer " },
      ],
    },
    jws: {
      allowedAlgorithms: ["ES256" as const],
      keys: { sources: { additionalJkus: ["https://id.example.com/jwks"] } },
    },
  };
  const userAgentFilter = { deny: ["(?i)^curl/"] };
  const https = new tunnels.HttpsEdge("https-inline", {
    hostports: ["b.example.com:443"],
    mutualTls,
    tlsTermination: { minVersion: "1.3" },
  });
  const modules = { backend, ipRestriction, oidc, jwtValidation, userAgentFilter, policies };
  new tunnels.HttpsEdgeRoute("route-inline", {
    edgeId: https.id,
    matchType: "path_prefix",
    match: "/",
    ...modules,
  });
  const bare = new tunnels.HttpsEdge("https");
  new tunnels.HttpsEdgeMutualTls("https-mutual", { edgeId: bare.id, ...mutualTls });
  new tunnels.HttpsEdgeTlsTermination("https-termination", { edgeId: bare.id });
  const route = new tunnels.HttpsEdgeRoute("route", {
    edgeId: bare.id,
    matchType: "exact_path",
    match: "/only",
  });
  const at = { edgeId: bare.id, routeId: route.routeId };
  new tunnels.HttpsEdgeRouteBackend("route-backend", { ...at, ...backend });
  new tunnels.HttpsEdgeRouteIpRestriction("route-restriction", { ...at, ...ipRestriction });
  new tunnels.HttpsEdgeRouteOidc("route-oidc", { ...at, ...oidc });
  new tunnels.HttpsEdgeRouteJwtValidation("route-jwt", { ...at, ...jwtValidation });
  new tunnels.HttpsEdgeRouteUserAgentFilter("route-agents", { ...at, ...userAgentFilter });
  new tunnels.HttpsEdgeRoutePolicies("route-policies", { ...at, ...policies });

  const destination = new tunnels.EventDestination("destination", {
    target: { monitoringService: { apiKey: "hush", service: "tunnels" } },
  });
  new tunnels.EventSubscription("subscription", {
    sources: [{ type: "ip_policy_created.v0" }],
    destinationIds: [destination.id],
  });
}

import * as pulumi from "@pulumi/pulumi";
import { serverCertificate } from "./api/fixtures";
import { makeCertificates, makeSshKey } from "./provider";
import type { Classes } from "./providers";

const { authority } = makeCertificates("clients");

/** One of each class, with every kind of value that its arguments take; names begin with the prefix. */
export function oneOfEach(tunnels: Classes, prefix: string): void {
  const apart = (owner: string, at: object, modules: object): void => {
    for (const [name, args] of Object.entries(modules)) {
      const type = `${owner}${name.charAt(0).toUpperCase()}${name.slice(1)}` as keyof Classes;
      new (tunnels[type] as new (name: string, args: object) => object)(`${prefix}${type}`, {
        ...at,
        ...args,
      });
    }
  };
  const publicKey = keyOf(prefix);
  const bot = new tunnels.BotUser(`${prefix}bot`, { name: "ci" });
  new tunnels.ApiKey(`${prefix}key`, { ownerId: bot.id });
  const project = new tunnels.Project(`${prefix}project`, { name: `${prefix}project`, shared: true });
  new tunnels.Membership(`${prefix}membership`, {
    projectId: project.id,
    role: "viewer",
    botUserId: bot.id,
    expiresAt: "2126-01-31T08:00:00Z",
  });
  new tunnels.WorkloadIdentity(`${prefix}identity`, {
    issuer: "https://id.example.com",
    audiences: ["https://tunnels.example.com"],
    claims: { sub: `repo:acme/${prefix}:*`, some_claim: "yes" },
    botUserId: bot.id,
    scopes: ["read", "tls_edge:write"],
    ttl: 60,
  });
  new tunnels.TunnelCredential(`${prefix}credential`, {
    ...{ ownerId: bot.id, acl: ["bind:*.example.com"], metadata: '{"team":"a"}' },
    expiresAt: "2126-01-31T08:00:00Z",
  });
  new tunnels.SshCredential(`${prefix}ssh`, { publicKey });
  const sshAuthority = new tunnels.SshCertificateAuthority(`${prefix}ssh-authority`, {
    privateKeyType: "ecdsa",
    ellipticCurve: "384",
  });
  const signed = { sshCertificateAuthorityId: sshAuthority.id, publicKey, principals: ["ada"] };
  new tunnels.SshUserCertificate(`${prefix}user-certificate`, {
    ...signed,
    criticalOptions: { "force-command": "uptime" },
  });
  new tunnels.SshHostCertificate(`${prefix}host-certificate`, signed);
  const ca = new tunnels.CertificateAuthority(`${prefix}ca`, { caPem: authority });
  const policy = new tunnels.IpPolicy(`${prefix}policy`);
  new tunnels.IpPolicyRule(`${prefix}rule`, { ipPolicyId: policy.id, cidr: "2001:db8::/32", action: "deny" });
  const group = new tunnels.TunnelGroupBackend(`${prefix}group`, {
    labels: { some_key: "x", "other-key": "y" },
  });
  const fixed = new tunnels.StaticBackend(`${prefix}static`, {
    address: "[2001:db8::7]:8080",
    tls: { enabled: true },
  });
  const response = new tunnels.HttpResponseBackend(`${prefix}response`, {
    statusCode: 503,
    headers: { "retry-after": "60" },
    body: "later",
  });
  const weights = pulumi.all([group.id, fixed.id]).apply(([a, b]) => ({ [a]: 9, [b]: 1 }));
  const weighted = new tunnels.WeightedBackend(`${prefix}weighted`, { backends: weights });
  new tunnels.FailoverBackend(`${prefix}failover`, { backends: [weighted.id, response.id] });
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
  new tunnels.TlsEdge(`${prefix}tls-inline`, {
    ...{ hostports: [`${prefix}a.example.com:443`], backend, ipRestriction, mutualTls },
    ...{ tlsTermination: {}, policies },
  });
  const tls = { edgeId: new tunnels.TlsEdge(`${prefix}tls`).id };
  const off = { mutualTls: { ...mutualTls, enabled: false }, tlsTermination: { minVersion: "1.3" } };
  apart("TlsEdge", tls, { backend, ipRestriction, ...off, policies });
  const port = 20_000 + (Buffer.from(prefix).reduce((sum, byte) => sum * 31 + byte, 7) % 9_000);
  new tunnels.TcpEdge(`${prefix}tcp-inline`, {
    hostports: [`${prefix}c.example.com:${port}`],
    backend,
    ipRestriction,
    policies,
  });
  const tcp = { edgeId: new tunnels.TcpEdge(`${prefix}tcp`).id };
  apart("TcpEdge", tcp, { backend, ipRestriction, policies });
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
  const https = new tunnels.HttpsEdge(`${prefix}https-inline`, {
    hostports: [`${prefix}b.example.com:443`],
    mutualTls,
    tlsTermination: { minVersion: "1.3" },
  });
  const requestHeaders = { add: { "x-some_header": "100 %", "X-Team": "" }, remove: ["x-debug"] };
  const responseHeaders = { remove: ["x-powered-by"] };
  const circuitBreaker = { rollingWindow: 30, errorThresholdPercentage: 0.5 };
  const webhookVerification = { provider: "github", secret: "known to GitHub too" } as const;
  const modules = {
    ...{ backend, ipRestriction, oidc, jwtValidation, userAgentFilter, policies },
    ...{ requestHeaders, responseHeaders, compression: {}, circuitBreaker, webhookVerification },
  };
  new tunnels.HttpsEdgeRoute(`${prefix}route-inline`, {
    edgeId: https.id,
    matchType: "path_prefix",
    match: "/",
    ...modules,
  });
  const bare = new tunnels.HttpsEdge(`${prefix}https`);
  apart("HttpsEdge", { edgeId: bare.id }, { mutualTls, tlsTermination: {} });
  const route = new tunnels.HttpsEdgeRoute(`${prefix}route`, {
    edgeId: bare.id,
    matchType: "exact_path",
    match: "/only",
  });
  apart("HttpsEdgeRoute", { edgeId: bare.id, routeId: route.routeId }, modules);
  const { certificate, key } = certificateOf(prefix);
  new tunnels.ReservedDomain(`${prefix}domain`, {
    domain: `${prefix}reserved.example.com`,
    certificateId: new tunnels.TlsCertificate(`${prefix}tls-certificate`, {
      certificatePem: certificate,
      privateKeyPem: key,
    }).id,
    resolvesTo: [{ value: "192.0.2.1" }],
  });
  new tunnels.ReservedAddr(`${prefix}addr`, { region: "eu" });
  new tunnels.IpRestriction(`${prefix}restriction`, { type: "endpoints", ipPolicyIds: [policy.id] });
  new tunnels.Guarantee(`${prefix}guarantee`, {
    ...{ expect: "refused", addresses: [`*.${prefix}guarded.example.com:*/admin`], methods: ["POST"] },
    ...{ exceptNetworks: ["10.0.0.0/8"], clientCertificate: "none" },
  });
  const destination = new tunnels.EventDestination(`${prefix}destination`, {
    target: { monitoringService: { apiKey: "hush", service: "tunnels" } },
  });
  new tunnels.EventSubscription(`${prefix}subscription`, {
    sources: [{ type: "ip_policy_created.v0" }],
    destinationIds: [destination.id],
  });
}

const certificates = new Map<string, { certificate: string; key: string }>();
/** The same in every run of a program. */
function certificateOf(prefix: string): { certificate: string; key: string } {
  const known = certificates.get(prefix);
  if (known) return known;
  const { certificate_pem: certificate, private_key_pem: key } = serverCertificate(
    `${prefix}reserved.example.com`,
  );
  certificates.set(prefix, { certificate, key });
  return { certificate, key };
}

const keys = new Map<string, string>();
/** The same in every run of a program. */
function keyOf(prefix: string): string {
  const key = keys.get(prefix) ?? makeSshKey();
  keys.set(prefix, key);
  return key;
}

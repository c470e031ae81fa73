import * as pulumi from "@pulumi/pulumi";
import * as tunnels from "@tunnelplane/pulumi";
import { HOLDER_SCENARIOS } from "./holderScenarios";
import { RESERVED_SCENARIOS } from "./reservedScenarios";
import {
  CERTIFICATE,
  clientsPem,
  inAMonth,
  inAYear,
  inDays,
  partnersPem,
  ROLE,
  type Scenario,
  STREAM,
  type Version,
} from "./scenarioParts";
import { tokensOf } from "./support";

export function declareAll(version: Version): void {
  const clients = new tunnels.CertificateAuthority("shared clients", { caPem: clientsPem });
  const partners = new tunnels.CertificateAuthority("shared partners", { caPem: partnersPem });
  const office = new tunnels.IpPolicy("shared office", {});
  new tunnels.IpPolicyRule("shared office rule", {
    ipPolicyId: office.id,
    cidr: "10.0.0.0/8",
    action: "allow",
  });
  new tunnels.TlsEdge("shared edge", {
    hostports: ["shared.example.com:443"],
    ipRestriction: { ipPolicyIds: [office.id] },
    mutualTls: { certificateAuthorityIds: [clients.id, partners.id] },
  });
  const shared = {
    clients,
    partners,
    office,
    member: new tunnels.BotUser("shared member", { name: "member" }),
    audit: new tunnels.EventDestination("shared audit", {
      target: { streamService: { auth: { role: ROLE }, streamRef: STREAM } },
    }),
    people: new tunnels.SshCertificateAuthority("shared people", {}),
  };
  const pick = <T>(base: T, changed: T, near = base): T => ({ base, changed, near })[version];
  const is = { isBase: version === "base", isChanged: version === "changed", isNear: version === "near" };
  for (const [rule, declare] of Object.entries(SCENARIOS)) declare({ rule, pick, ...is, ...shared });
}

const hostportOf = (rule: string): string => `${rule}.example.com:443`;

function edge({ rule }: Scenario, args: tunnels.TlsEdgeArgs = {}, renamed = false): tunnels.TlsEdge {
  const name = renamed ? `${rule} under another name` : rule;
  return new tunnels.TlsEdge(
    name,
    { hostports: [hostportOf(rule)], ...args },
    { aliases: renamed ? [{ name: rule }] : [] },
  );
}

type Routes = Readonly<Record<string, Partial<tunnels.HttpsEdgeRouteArgs>>>;

function route({ rule, pick }: Scenario, args: Partial<tunnels.HttpsEdgeRouteArgs>, more: Routes = {}): void {
  const site = new tunnels.HttpsEdge(`${rule} site`, { hostports: [hostportOf(rule)] });
  const description = pick("", "", "described anew");
  const matchType = "path_prefix";
  const all = { edgeId: site.id, matchType, description } as const;
  new tunnels.HttpsEdgeRoute(`${rule} route`, { ...all, match: "/", ...args });
  for (const [match, one] of Object.entries(more))
    new tunnels.HttpsEdgeRoute(`${rule} ${match}`, { ...all, match, ...one });
}

function admits(scenario: Scenario, cidrs: readonly string[]): void {
  const { rule, pick } = scenario;
  const policy = new tunnels.IpPolicy(`${rule} policy`, {
    description: pick(rule, rule, `${rule} (described anew)`),
  });
  for (const cidr of cidrs)
    new tunnels.IpPolicyRule(`${rule} ${cidr}`, { ipPolicyId: policy.id, cidr, action: "allow" });
  edge(scenario, { ipRestriction: { ipPolicyIds: [policy.id] } });
}

const oidc = (more: Partial<tunnels.HttpsEdgeRouteOidcModule> = {}): tunnels.HttpsEdgeRouteOidcModule => ({
  issuer: "https://id.example.com",
  clientId: "site",
  clientSecret: "canary-of-a-secret",
  scopes: ["openid", "email"],
  ...more,
});

/** What asks for a certificate of one of some authorities. */
const asks = (...authorities: readonly tunnels.CertificateAuthority[]) => ({
  mutualTls: { certificateAuthorityIds: authorities.map(({ id }) => id) },
});

const from = (minVersion: "1.2" | "1.3") => ({ tlsTermination: { minVersion } });

const agent = ({ rule }: Scenario, acl: readonly string[], more: tunnels.TunnelCredentialArgs = {}) =>
  new tunnels.TunnelCredential(rule, { acl: acl.map((host) => `bind:${host}.example.com`), ...more });

const acts = (
  type: "deny" | "log" | "rate-limit",
  name: string,
  config: Record<string, string | number> = {},
) => ({ name, actions: [{ type, config }] });
const limits = (name: string, capacity = 10) =>
  acts("rate-limit", name, { name: "all", capacity, rate: "60s" });

const guarantee = ({ rule, pick }: Scenario, args: Partial<tunnels.GuaranteeArgs> = {}) =>
  new tunnels.Guarantee(`${rule} guarantee`, {
    ...{ description: pick("", "", "described anew"), expect: "refused" },
    ...{ addresses: [hostportOf(rule)], clientCertificate: "none", ...args },
  });

const DECLARE = {
  "guarantee-broken": (it) => {
    guarantee(it);
    edge(it, it.pick<tunnels.TlsEdgeArgs>(asks(it.clients), {}), it.isNear);
  },
  "guarantee-weakened": (it) => guarantee(it, { methods: it.pick(["GET", "POST"], ["GET"], []) }),
  "client-certificate-dropped": (it) =>
    edge(it, it.pick<tunnels.TlsEdgeArgs>(asks(it.clients), {}), it.isNear),
  "network-opened": (it) =>
    admits(it, it.pick(["10.0.0.0/8"], ["0.0.0.0/1", "128.0.0.0/1"], ["10.0.0.0/9", "10.128.0.0/9"])),
  "sign-in-dropped": (it) =>
    route(it, it.pick({ oidc: oidc() }, {}, { oidc: oidc({ scopes: ["email", "openid"] }) })),
  "token-dropped": (it) =>
    route(
      it,
      it.pick(
        { jwtValidation: tokensOf(["a", "b"]) },
        {},
        { jwtValidation: tokensOf(["b", "a"], ["ES256", "RS256"]) },
      ),
    ),
  "claims-loosened": (it) =>
    route(it, {
      oidc: oidc({
        requireClaims: it.pick(
          { groups: ["ops"], email: ["*@example.com"] },
          { groups: ["ops", "dev"], email: ["*@example.com"] },
          { email: ["*@example.com"], groups: ["ops"] },
        ),
      }),
    }),
  "deny-dropped": (it) =>
    edge(it, {
      policies: it.pick(
        { inbound: [acts("deny", "nobody"), limits("all")] },
        { inbound: [limits("all")] },
        { inbound: [acts("deny", "none"), limits("some")] },
      ),
    }),
  opened: (it) => {
    const admin = { "/admin": { jwtValidation: tokensOf(["a"]) } };
    route(it, {}, it.pick<Routes>(admin, {}, admin));
  },
  "callers-refused": (it) =>
    route(it, {}, it.pick<Routes>({}, { "/api": { jwtValidation: tokensOf(["a"]) } }, {})),
  "opened-unprotected": (it) => {
    edge(it, {
      hostports: it.pick(
        [hostportOf(it.rule)],
        [hostportOf(it.rule), "new.example.com:443"],
        [hostportOf(it.rule)],
      ),
      description: it.pick("", "", "changed"),
    });
  },
  "address-removed": (it) => {
    const all = [hostportOf(it.rule), "www.example.com:443"];
    edge(it, { hostports: it.pick(all, all.slice(0, 1), all.toReversed()) });
  },
  "traffic-stopped": (it) => {
    const web = new tunnels.TunnelGroupBackend(`${it.rule} web`, {
      labels: { of: it.rule },
      description: it.pick("", "", "changed"),
    });
    edge(it, { backend: { backendId: web.id, enabled: it.pick(true, false) } });
  },
  "termination-moved": (it) =>
    edge(
      it,
      it.pick<tunnels.TlsEdgeArgs>(
        { policies: { inbound: [limits("all")] } },
        { tlsTermination: { terminateAt: "upstream" } },
        { policies: { inbound: [limits("all")] }, tlsTermination: { terminateAt: "edge" } },
      ),
    ),
  "credential-widened": (it) => agent(it, it.pick(["a", "b"], ["*"], ["b", "a"])),
  "ssh-certificate-any-user": (it) =>
    it.isBase ||
    new tunnels.SshUserCertificate(it.rule, {
      ...CERTIFICATE,
      sshCertificateAuthorityId: it.people.id,
      principals: it.pick([], [], ["ada"]),
    }),
  "admin-key-created": (it) =>
    it.isBase ||
    new tunnels.ApiKey(it.rule, { expiresAt: inAYear, ...(it.isNear && { ownerId: it.member.id }) }),
  ...HOLDER_SCENARIOS,
  ...RESERVED_SCENARIOS,
  "network-widened": (it) =>
    admits(it, it.pick(["10.0.0.0/8"], ["10.0.0.0/8", "192.168.0.0/16"], ["10.0.0.0/8", "10.1.0.0/16"])),
  "network-narrowed": (it) =>
    admits(
      it,
      it.pick(
        ["10.0.0.0/8", "192.168.0.0/16"],
        ["10.0.0.0/8"],
        ["10.0.0.0/8", "192.168.0.0/17", "192.168.128.0/17"],
      ),
    ),
  "authority-added": (it) => edge(it, it.pick(asks(it.clients), asks(it.clients, it.partners)), it.isNear),
  "authority-removed": (it) =>
    edge(it, it.pick(asks(it.clients, it.partners), asks(it.clients), asks(it.partners, it.clients))),
  "sign-in-changed": (it) =>
    route(it, {
      oidc: it.pick(
        oidc(),
        oidc({ issuer: "https://id.example.org" }),
        oidc({ scopes: ["email", "openid"] }),
      ),
    }),
  "token-changed": (it) =>
    route(it, {
      jwtValidation: it.pick(tokensOf(["a"]), tokensOf(["b"]), tokensOf(["a"], ["ES256", "RS256"])),
    }),
  "tls-lowered": (it) => edge(it, it.pick(from("1.3"), from("1.2")), it.isNear),
  "tls-raised": (it) => edge(it, it.pick<tunnels.TlsEdgeArgs>({}, from("1.3"), from("1.2"))),
  "traffic-moved": (it) => {
    const [old, fresh] = ["old", "fresh"].map(
      (release) => new tunnels.TunnelGroupBackend(`${it.rule} ${release}`, { labels: { release } }),
    );
    const [toOld, toFresh] = it.pick([90, 10], [10, 90], [9, 1]);
    const split = new tunnels.WeightedBackend(`${it.rule} split`, {
      backends: pulumi
        .all([old?.id ?? "", fresh?.id ?? ""])
        .apply(([one, other]) => ({ [one]: toOld as number, [other]: toFresh as number })),
    });
    edge(it, { backend: { backendId: split.id } });
  },
  "actions-changed": (it) =>
    edge(it, {
      policies: it.pick(
        { inbound: [limits("all")] },
        { inbound: [limits("all", 20)] },
        { inbound: [limits("another name")] },
      ),
    }),
  "user-agents-changed": (it) =>
    route(it, { userAgentFilter: { allow: it.pick(["a", "b"], ["a", "c"], ["b", "a"]) } }),
  "webhook-changed": (it) =>
    route(it, {
      webhookVerification: it.pick(
        { provider: "github", secret: "s" },
        { provider: "slack", secret: "s" },
        { enabled: true, provider: "github", secret: "s" },
      ),
    }),
  "credential-narrowed": (it) => agent(it, it.pick(["a", "b"], ["a"], ["b", "a"])),
  "credential-revoked": (it) =>
    it.isChanged ||
    new tunnels.TunnelCredential(
      it.pick(it.rule, "", `${it.rule} under another name`),
      { acl: ["bind:c.example.com"] },
      { aliases: it.isNear ? [{ name: it.rule }] : [] },
    ),
  "credential-reissued": (it) =>
    new tunnels.TunnelCredential(
      it.rule,
      { acl: ["bind:d.example.com"], description: it.pick("", "changed", "changed") },
      { replaceOnChanges: it.isChanged ? ["description"] : [] },
    ),
  "ssh-certificate-reissued": (it) =>
    new tunnels.SshUserCertificate(it.rule, {
      ...{ ...CERTIFICATE, sshCertificateAuthorityId: it.people.id, principals: ["ada"] },
      extensions: it.pick<Record<string, string>>({}, { "permit-pty": "" }),
      description: it.pick("", "", "changed"),
    }),
  "events-stopped": (it) => {
    const [made, changed] = [{ type: "tls_edge_created.v0" }, { type: "tls_edge_updated.v0" }];
    new tunnels.EventSubscription(it.rule, {
      destinationIds: [it.audit.id],
      sources: it.pick([made, changed], [made], [changed, made]),
    });
  },
  "module-disabled": (it) =>
    edge(
      it,
      it.isChanged
        ? { mutualTls: { ...asks(it.clients).mutualTls, enabled: false } }
        : { description: it.pick("", "", "changed") },
    ),
  "expires-soon": (it) =>
    it.isBase ||
    new tunnels.ApiKey(it.rule, { ownerId: it.member.id, expiresAt: it.pick("", inAMonth, inAYear) }),
  "access-ends": (it) =>
    agent(it, ["e"], {
      expiresAt: it.pick(inAMonth, inDays(3), inAMonth),
      description: it.pick("", "", "changed"),
    }),
  "key-without-end": (it) =>
    it.isBase ||
    new tunnels.ApiKey(it.rule, { ownerId: it.member.id, ...(it.isNear && { expiresAt: inAYear }) }),
  "long-lived-cloud-keys": (it) => {
    if (it.isBase) return;
    const creds = {
      cloudAccessKeyId: "AKIAIOSFODNN7EXAMPLE",
      cloudSecretAccessKey: "canary-of-a-secret-of-forty-characters-",
    };
    new tunnels.EventDestination(it.rule, {
      target: { streamService: { auth: it.isNear ? { role: ROLE } : { creds }, streamRef: STREAM } },
    });
  },
  "address-added": (it) =>
    it.isBase ||
    (it.isNear
      ? new tunnels.HttpsEdge(it.rule, { hostports: [hostportOf(it.rule)] }) // serves nothing without a route
      : edge(it, { ipRestriction: { ipPolicyIds: [it.office.id] } })),
  unused: (it) => {
    const web = new tunnels.TunnelGroupBackend(it.pick("unused web", "unused web", "unused other web"), {
      labels: { of: it.rule },
    });
    edge(it, { backend: { backendId: web.id } });
    if (it.isChanged) new tunnels.StaticBackend(it.rule, { address: "192.0.2.1:80" });
  },
} satisfies Record<string, (it: Scenario) => unknown>;

export const SCENARIOS: Readonly<Record<string, (it: Scenario) => unknown>> = DECLARE;

/** The rules that are found with another one, because the change has two effects. */
export const COMPANIONS: Readonly<Record<string, readonly string[]>> = {
  "certificate-ends-soon": ["key-replaced"],
  "key-replaced": ["credential-reissued"],
  "guarantee-broken": ["client-certificate-dropped"],
  "principal-added": ["ssh-certificate-reissued"],
  "validity-extended": ["ssh-certificate-reissued"],
};

// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import { ApiClient } from "../client/apiClient";
import { Collection, Entries, Module, Removable } from "../client/collection";
import type { TunnelCredential, TunnelCredentialCreate, TunnelCredentialUpdate } from "./tunnelCredential";
import type { SshCredential, SshCredentialCreate, SshCredentialUpdate } from "./sshCredential";
import type { SshCertificateAuthority, SshCertificateAuthorityCreate, SshCertificateAuthorityUpdate } from "./sshCertificateAuthority";
import type { SshUserCertificate, SshUserCertificateCreate, SshUserCertificateUpdate } from "./sshUserCertificate";
import type { SshHostCertificate, SshHostCertificateCreate, SshHostCertificateUpdate } from "./sshHostCertificate";
import type { CertificateAuthority, CertificateAuthorityCreate, CertificateAuthorityUpdate } from "./certificateAuthority";
import type { IpPolicy, IpPolicyCreate, IpPolicyUpdate } from "./ipPolicy";
import type { IpPolicyRule, IpPolicyRuleCreate, IpPolicyRuleUpdate } from "./ipPolicyRule";
import type { TunnelGroupBackend, TunnelGroupBackendCreate, TunnelGroupBackendUpdate } from "./tunnelGroupBackend";
import type { FailoverBackend, FailoverBackendCreate, FailoverBackendUpdate } from "./failoverBackend";
import type { WeightedBackend, WeightedBackendCreate, WeightedBackendUpdate } from "./weightedBackend";
import type { HttpResponseBackend, HttpResponseBackendCreate, HttpResponseBackendUpdate } from "./httpResponseBackend";
import type { StaticBackend, StaticBackendCreate, StaticBackendUpdate } from "./staticBackend";
import type { TlsEdge, TlsEdgeBackend, TlsEdgeBackendReplace, TlsEdgeCreate, TlsEdgeIpRestriction, TlsEdgeIpRestrictionReplace, TlsEdgeMutualTls, TlsEdgeMutualTlsReplace, TlsEdgePolicies, TlsEdgePoliciesReplace, TlsEdgeTlsTermination, TlsEdgeTlsTerminationReplace, TlsEdgeUpdate } from "./tlsEdge";
import type { TcpEdge, TcpEdgeBackend, TcpEdgeBackendReplace, TcpEdgeCreate, TcpEdgeIpRestriction, TcpEdgeIpRestrictionReplace, TcpEdgePolicies, TcpEdgePoliciesReplace, TcpEdgeUpdate } from "./tcpEdge";
import type { HttpsEdge, HttpsEdgeCreate, HttpsEdgeMutualTls, HttpsEdgeMutualTlsReplace, HttpsEdgeTlsTermination, HttpsEdgeTlsTerminationReplace, HttpsEdgeUpdate } from "./httpsEdge";
import type { HttpsEdgeRoute, HttpsEdgeRouteBackend, HttpsEdgeRouteBackendReplace, HttpsEdgeRouteCircuitBreaker, HttpsEdgeRouteCircuitBreakerReplace, HttpsEdgeRouteCompression, HttpsEdgeRouteCompressionReplace, HttpsEdgeRouteCreate, HttpsEdgeRouteIpRestriction, HttpsEdgeRouteIpRestrictionReplace, HttpsEdgeRouteJwtValidation, HttpsEdgeRouteJwtValidationReplace, HttpsEdgeRouteOidc, HttpsEdgeRouteOidcReplace, HttpsEdgeRoutePolicies, HttpsEdgeRoutePoliciesReplace, HttpsEdgeRouteRequestHeaders, HttpsEdgeRouteRequestHeadersReplace, HttpsEdgeRouteResponseHeaders, HttpsEdgeRouteResponseHeadersReplace, HttpsEdgeRouteUpdate, HttpsEdgeRouteUserAgentFilter, HttpsEdgeRouteUserAgentFilterReplace, HttpsEdgeRouteWebhookVerification, HttpsEdgeRouteWebhookVerificationReplace } from "./httpsEdgeRoute";
import type { TlsCertificate, TlsCertificateCreate, TlsCertificateUpdate } from "./tlsCertificate";
import type { ReservedDomain, ReservedDomainCreate, ReservedDomainUpdate } from "./reservedDomain";
import type { ReservedAddr, ReservedAddrCreate, ReservedAddrUpdate } from "./reservedAddr";
import type { IpRestriction, IpRestrictionCreate, IpRestrictionUpdate } from "./ipRestriction";
import type { EventDestination, EventDestinationCreate, EventDestinationUpdate } from "./eventDestination";
import type { EventSubscription, EventSubscriptionCreate, EventSubscriptionUpdate } from "./eventSubscription";
import type { Guarantee, GuaranteeCreate, GuaranteeUpdate } from "./guarantee";
import type { Project, ProjectCreate, ProjectUpdate } from "./project";
import type { Membership, MembershipCreate, MembershipUpdate } from "./membership";
import type { ApiKey, ApiKeyCreate, ApiKeyUpdate } from "./apiKey";
import type { BotUser, BotUserCreate, BotUserUpdate } from "./botUser";
import type { WorkloadIdentity, WorkloadIdentityCreate, WorkloadIdentityUpdate } from "./workloadIdentity";

export type * from "./tunnelCredential";
export type * from "./sshCredential";
export type * from "./sshCertificateAuthority";
export type * from "./sshUserCertificate";
export type * from "./sshHostCertificate";
export type * from "./certificateAuthority";
export type * from "./ipPolicy";
export type * from "./ipPolicyRule";
export type * from "./tunnelGroupBackend";
export type * from "./failoverBackend";
export type * from "./weightedBackend";
export type * from "./httpResponseBackend";
export type * from "./staticBackend";
export type * from "./tlsEdge";
export type * from "./tcpEdge";
export type * from "./httpsEdge";
export type * from "./httpsEdgeRoute";
export type * from "./tlsCertificate";
export type * from "./reservedDomain";
export type * from "./reservedAddr";
export type * from "./ipRestriction";
export type * from "./eventDestination";
export type * from "./eventSubscription";
export type * from "./guarantee";
export type * from "./project";
export type * from "./membership";
export type * from "./apiKey";
export type * from "./botUser";
export type * from "./workloadIdentity";

/** The objects of answers, by kind. */
export interface Answers {
  tunnel_credential: TunnelCredential;
  ssh_credential: SshCredential;
  ssh_certificate_authority: SshCertificateAuthority;
  ssh_user_certificate: SshUserCertificate;
  ssh_host_certificate: SshHostCertificate;
  certificate_authority: CertificateAuthority;
  ip_policy: IpPolicy;
  ip_policy_rule: IpPolicyRule;
  tunnel_group_backend: TunnelGroupBackend;
  failover_backend: FailoverBackend;
  weighted_backend: WeightedBackend;
  http_response_backend: HttpResponseBackend;
  static_backend: StaticBackend;
  tls_edge: TlsEdge;
  tcp_edge: TcpEdge;
  https_edge: HttpsEdge;
  https_edge_route: HttpsEdgeRoute;
  tls_certificate: TlsCertificate;
  reserved_domain: ReservedDomain;
  reserved_addr: ReservedAddr;
  ip_restriction: IpRestriction;
  event_destination: EventDestination;
  event_subscription: EventSubscription;
  guarantee: Guarantee;
  project: Project;
  membership: Membership;
  api_key: ApiKey;
  bot_user: BotUser;
  workload_identity: WorkloadIdentity;
}

/**
 * The API, typed: a member for each kind of object.
 *
 * @example
 * const api = new Tunnelplane({ baseUrl: "http://127.0.0.1:4040", apiKey });
 * for await (const edge of api.tlsEdges.list()) console.log(edge.id, edge.hostports);
 */
export class Tunnelplane extends ApiClient {
  /** Tunnel credentials. An authtoken with which an agent starts tunnel sessions. Its ACL limits what those sessions may bind. */
  readonly tunnelCredentials = new Collection<TunnelCredential, TunnelCredentialCreate, TunnelCredentialUpdate>(this.transport, "/credentials", "credentials");

  /** SSH credentials. A public key that may start tunnels through the SSH gateway. Its ACL limits what those tunnels may bind. */
  readonly sshCredentials = new Collection<SshCredential, SshCredentialCreate, SshCredentialUpdate>(this.transport, "/ssh_credentials", "ssh_credentials");

  /** SSH certificate authorities. A key pair that signs SSH certificates for users and hosts. The server generates it; the private key never leaves the server. */
  readonly sshCertificateAuthorities = new Collection<SshCertificateAuthority, SshCertificateAuthorityCreate, SshCertificateAuthorityUpdate>(this.transport, "/ssh_certificate_authorities", "ssh_certificate_authorities");

  /** SSH user certificates. A certificate with which the holder of a key logs in over SSH, for a limited time, wherever its authority is trusted. */
  readonly sshUserCertificates = new Collection<SshUserCertificate, SshUserCertificateCreate, SshUserCertificateUpdate>(this.transport, "/ssh_user_certificates", "ssh_user_certificates");

  /** SSH host certificates. A certificate with which a host proves its names to SSH clients that trust its authority. Users need not compare fingerprints then. */
  readonly sshHostCertificates = new Collection<SshHostCertificate, SshHostCertificateCreate, SshHostCertificateUpdate>(this.transport, "/ssh_host_certificates", "ssh_host_certificates");

  /** Certificate authorities. An X.509 certificate authority whose client certificates an edge accepts for mutual TLS. Only the certificate is uploaded, never its key. */
  readonly certificateAuthorities = new Collection<CertificateAuthority, CertificateAuthorityCreate, CertificateAuthorityUpdate>(this.transport, "/certificate_authorities", "certificate_authorities");

  /** IP policies. A named set of rules that say which source addresses may connect. Its rules are objects of their own; deleting a policy deletes them. */
  readonly ipPolicies = new Collection<IpPolicy, IpPolicyCreate, IpPolicyUpdate>(this.transport, "/ip_policies", "ip_policies");

  /** IP policy rules. Allows or denies one network within an IP policy. */
  readonly ipPolicyRules = new Collection<IpPolicyRule, IpPolicyRuleCreate, IpPolicyRuleUpdate>(this.transport, "/ip_policy_rules", "ip_policy_rules");

  /** Tunnel-group backends. Sends traffic to every tunnel that has all of these labels. */
  readonly tunnelGroupBackends = new Collection<TunnelGroupBackend, TunnelGroupBackendCreate, TunnelGroupBackendUpdate>(this.transport, "/backends/tunnel_group", "backends");

  /** Failover backends. Sends traffic to the first of its backends that can take it. */
  readonly failoverBackends = new Collection<FailoverBackend, FailoverBackendCreate, FailoverBackendUpdate>(this.transport, "/backends/failover", "backends");

  /** Weighted backends. Spreads traffic over its backends in proportion to their weights. */
  readonly weightedBackends = new Collection<WeightedBackend, WeightedBackendCreate, WeightedBackendUpdate>(this.transport, "/backends/weighted", "backends");

  /** HTTP-response backends. Answers every request with the same response, for example a maintenance page. */
  readonly httpResponseBackends = new Collection<HttpResponseBackend, HttpResponseBackendCreate, HttpResponseBackendUpdate>(this.transport, "/backends/http_response", "backends");

  /** Static backends. Sends traffic to a fixed address. */
  readonly staticBackends = new Collection<StaticBackend, StaticBackendCreate, StaticBackendUpdate>(this.transport, "/backends/static", "backends");

  /** TLS edges. Serves hostports over TLS and sends their traffic to a backend. Its modules restrict, authenticate and shape that traffic; each can be declared here or as a resource of its own. */
  readonly tlsEdges = Object.assign(new Collection<TlsEdge, TlsEdgeCreate, TlsEdgeUpdate>(this.transport, "/edges/tls", "tls_edges"), {
    backend: new Module<TlsEdgeBackend, TlsEdgeBackendReplace>(this.transport, "/edges/tls", "backend"),
    ipRestriction: new Module<TlsEdgeIpRestriction, TlsEdgeIpRestrictionReplace>(this.transport, "/edges/tls", "ip_restriction"),
    mutualTls: new Module<TlsEdgeMutualTls, TlsEdgeMutualTlsReplace>(this.transport, "/edges/tls", "mutual_tls"),
    tlsTermination: new Module<TlsEdgeTlsTermination, TlsEdgeTlsTerminationReplace>(this.transport, "/edges/tls", "tls_termination"),
    policies: new Module<TlsEdgePolicies, TlsEdgePoliciesReplace>(this.transport, "/edges/tls", "policies"),
  });

  /** TCP edges. Serves ports over TCP and sends the bytes of each connection to a backend as they are. Connections say no name, so a port belongs to one edge. Its modules restrict and shape that traffic; each can be declared here or as a resource of its own. */
  readonly tcpEdges = Object.assign(new Collection<TcpEdge, TcpEdgeCreate, TcpEdgeUpdate>(this.transport, "/edges/tcp", "tcp_edges"), {
    backend: new Module<TcpEdgeBackend, TcpEdgeBackendReplace>(this.transport, "/edges/tcp", "backend"),
    ipRestriction: new Module<TcpEdgeIpRestriction, TcpEdgeIpRestrictionReplace>(this.transport, "/edges/tcp", "ip_restriction"),
    policies: new Module<TcpEdgePolicies, TcpEdgePoliciesReplace>(this.transport, "/edges/tcp", "policies"),
  });

  /** HTTPS edges. Serves hostports over HTTPS and hands each request to the route that matches its path. Deleting an edge deletes its routes, which have at most 4 MiB together. */
  readonly httpsEdges = Object.assign(new Collection<HttpsEdge, HttpsEdgeCreate, HttpsEdgeUpdate>(this.transport, "/edges/https", "https_edges"), {
    mutualTls: new Module<HttpsEdgeMutualTls, HttpsEdgeMutualTlsReplace>(this.transport, "/edges/https", "mutual_tls"),
    tlsTermination: new Module<HttpsEdgeTlsTermination, HttpsEdgeTlsTerminationReplace>(this.transport, "/edges/https", "tls_termination"),
  });

  /** HTTPS edge routes. Handles the requests whose path matches: its modules decide who may send them, and its backend gets them. */
  readonly httpsEdgeRoutes = (edgeId: string) => Object.assign(new Collection<HttpsEdgeRoute, HttpsEdgeRouteCreate, HttpsEdgeRouteUpdate>(this.transport, `/edges/https/${encodeURIComponent(edgeId)}/routes`, "routes"), {
    backend: new Module<HttpsEdgeRouteBackend, HttpsEdgeRouteBackendReplace>(this.transport, `/edges/https/${encodeURIComponent(edgeId)}/routes`, "backend"),
    ipRestriction: new Module<HttpsEdgeRouteIpRestriction, HttpsEdgeRouteIpRestrictionReplace>(this.transport, `/edges/https/${encodeURIComponent(edgeId)}/routes`, "ip_restriction"),
    oidc: new Module<HttpsEdgeRouteOidc, HttpsEdgeRouteOidcReplace>(this.transport, `/edges/https/${encodeURIComponent(edgeId)}/routes`, "oidc"),
    jwtValidation: new Module<HttpsEdgeRouteJwtValidation, HttpsEdgeRouteJwtValidationReplace>(this.transport, `/edges/https/${encodeURIComponent(edgeId)}/routes`, "jwt_validation"),
    userAgentFilter: new Module<HttpsEdgeRouteUserAgentFilter, HttpsEdgeRouteUserAgentFilterReplace>(this.transport, `/edges/https/${encodeURIComponent(edgeId)}/routes`, "user_agent_filter"),
    policies: new Module<HttpsEdgeRoutePolicies, HttpsEdgeRoutePoliciesReplace>(this.transport, `/edges/https/${encodeURIComponent(edgeId)}/routes`, "policies"),
    requestHeaders: new Module<HttpsEdgeRouteRequestHeaders, HttpsEdgeRouteRequestHeadersReplace>(this.transport, `/edges/https/${encodeURIComponent(edgeId)}/routes`, "request_headers"),
    responseHeaders: new Module<HttpsEdgeRouteResponseHeaders, HttpsEdgeRouteResponseHeadersReplace>(this.transport, `/edges/https/${encodeURIComponent(edgeId)}/routes`, "response_headers"),
    compression: new Module<HttpsEdgeRouteCompression, HttpsEdgeRouteCompressionReplace>(this.transport, `/edges/https/${encodeURIComponent(edgeId)}/routes`, "compression"),
    circuitBreaker: new Module<HttpsEdgeRouteCircuitBreaker, HttpsEdgeRouteCircuitBreakerReplace>(this.transport, `/edges/https/${encodeURIComponent(edgeId)}/routes`, "circuit_breaker"),
    webhookVerification: new Module<HttpsEdgeRouteWebhookVerification, HttpsEdgeRouteWebhookVerificationReplace>(this.transport, `/edges/https/${encodeURIComponent(edgeId)}/routes`, "webhook_verification"),
  });

  /** TLS certificates. A certificate with its private key, which gateways serve for the reserved domains that name it. Its key is stored sealed, and no answer shows it; gateways alone get it. */
  readonly tlsCertificates = new Collection<TlsCertificate, TlsCertificateCreate, TlsCertificateUpdate>(this.transport, "/tls_certificates", "tls_certificates");

  /** Reserved domains. Keeps a domain for its project: no other project can serve it, let agents bind it or sign an SSH host certificate for it. It may name the certificate that gateways serve for it. */
  readonly reservedDomains = Object.assign(new Collection<ReservedDomain, ReservedDomainCreate, ReservedDomainUpdate>(this.transport, "/reserved_domains", "reserved_domains"), {
    certificate: new Removable(this.transport, "/reserved_domains", "certificate"),
    certificateManagementPolicy: new Removable(this.transport, "/reserved_domains", "certificate_management_policy"),
  });

  /** Reserved addresses. Keeps an address with a port for its project. The server chooses a free port of its `--tcp-ports`. */
  readonly reservedAddrs = new Collection<ReservedAddr, ReservedAddrCreate, ReservedAddrUpdate>(this.transport, "/reserved_addrs", "reserved_addrs");

  /** IP restrictions. Says from which addresses the API, the console, gateways by their agents, or all edges of the account may be reached. Several of one type admit whom any of their policies admits. */
  readonly ipRestrictions = new Collection<IpRestriction, IpRestrictionCreate, IpRestrictionUpdate>(this.transport, "/ip_restrictions", "ip_restrictions");

  /** Event destinations. A service that receives events, with the credentials for it. It has no effect until a subscription names it. */
  readonly eventDestinations = new Collection<EventDestination, EventDestinationCreate, EventDestinationUpdate>(this.transport, "/event_destinations", "event_destinations");

  /** Event subscriptions. Sends the events of some types to some destinations. */
  readonly eventSubscriptions = Object.assign(new Collection<EventSubscription, EventSubscriptionCreate, EventSubscriptionUpdate>(this.transport, "/event_subscriptions", "event_subscriptions"), {
    sources: new Entries<EventSubscription["sources"][number], NonNullable<EventSubscriptionCreate["sources"]>[number]>(this.transport, "/event_subscriptions", "sources"),
  });

  /** Guarantees. A condition for requests: all that it covers must be let in, or none of them. The server refuses a change after which an enforced guarantee would no longer hold. */
  readonly guarantees = new Collection<Guarantee, GuaranteeCreate, GuaranteeUpdate>(this.transport, "/guarantees", "guarantees");

  /** Projects. A part of the account whose objects exist only for its members. Every object belongs for good to the project in which it was made. `default` exists from the start; it cannot be deleted or get another name. A project that holds objects cannot be deleted. */
  readonly projects = new Collection<Project, ProjectCreate, ProjectUpdate>(this.transport, "/projects", "projects");

  /** Memberships. Gives a user, a bot or a group of users a role in a project or in the whole account. Memberships add: the strongest role holds. */
  readonly memberships = new Collection<Membership, MembershipCreate, MembershipUpdate>(this.transport, "/memberships", "memberships");

  /** API keys. A key with which its owner calls this API. Deleting it revokes it at once, on other servers of the same database within a second. */
  readonly apiKeys = new Collection<ApiKey, ApiKeyCreate, ApiKeyUpdate>(this.transport, "/api_keys", "keys");

  /** Bot users. An owner of API keys and credentials that is not a person, for example a pipeline or a service. Its role decides what its API keys may do. */
  readonly botUsers = new Collection<BotUser, BotUserCreate, BotUserUpdate>(this.transport, "/bot_users", "bot_users");

  /** Workload identities. Lets jobs of a pipeline work as a bot without an API key: `POST /token` exchanges an identity token of theirs, which its issuer signed, for an API key that soon ends. Changing or deleting the identity ends the keys that came of it. */
  readonly workloadIdentities = new Collection<WorkloadIdentity, WorkloadIdentityCreate, WorkloadIdentityUpdate>(this.transport, "/workload_identities", "workload_identities");
}

// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type { ApiKey } from "./apiKey";
import type { BotUser } from "./botUser";
import type { CertificateAuthority } from "./certificateAuthority";
import type { EventDestination } from "./eventDestination";
import type { EventSubscription } from "./eventSubscription";
import type { FailoverBackend } from "./failoverBackend";
import type { Guarantee } from "./guarantee";
import type { HttpResponseBackend } from "./httpResponseBackend";
import type { HttpsEdge } from "./httpsEdge";
import type { HttpsEdgeRoute } from "./httpsEdgeRoute";
import type { IpPolicy } from "./ipPolicy";
import type { IpPolicyRule } from "./ipPolicyRule";
import type { IpRestriction } from "./ipRestriction";
import type { Membership } from "./membership";
import type { Project } from "./project";
import type { ReservedAddr } from "./reservedAddr";
import type { ReservedDomain } from "./reservedDomain";
import type { SshCertificateAuthority } from "./sshCertificateAuthority";
import type { SshCredential } from "./sshCredential";
import type { SshHostCertificate } from "./sshHostCertificate";
import type { SshUserCertificate } from "./sshUserCertificate";
import type { StaticBackend } from "./staticBackend";
import type { TcpEdge } from "./tcpEdge";
import type { TlsCertificate } from "./tlsCertificate";
import type { TlsEdge } from "./tlsEdge";
import type { TunnelCredential } from "./tunnelCredential";
import type { TunnelGroupBackend } from "./tunnelGroupBackend";
import type { WeightedBackend } from "./weightedBackend";
import type { WorkloadIdentity } from "./workloadIdentity";

/** The resources that a catalogue declares, by collection and name. */
export interface Catalogue {
  /** An authtoken with which an agent starts tunnel sessions. Its ACL limits what those sessions may bind. */
  readonly tunnelCredentials: Readonly<Record<string, TunnelCredential>>;

  /** A public key that may start tunnels through the SSH gateway. Its ACL limits what those tunnels may bind. */
  readonly sshCredentials: Readonly<Record<string, SshCredential>>;

  /** A key pair that signs SSH certificates for users and hosts. The server generates it; the private key never leaves the server. */
  readonly sshCertificateAuthorities: Readonly<Record<string, SshCertificateAuthority>>;

  /** A certificate with which the holder of a key logs in over SSH, for a limited time, wherever its authority is trusted. */
  readonly sshUserCertificates: Readonly<Record<string, SshUserCertificate>>;

  /** A certificate with which a host proves its names to SSH clients that trust its authority. Users need not compare fingerprints then. */
  readonly sshHostCertificates: Readonly<Record<string, SshHostCertificate>>;

  /** An X.509 certificate authority whose client certificates an edge accepts for mutual TLS. Only the certificate is uploaded, never its key. */
  readonly certificateAuthorities: Readonly<Record<string, CertificateAuthority>>;

  /** A named set of rules that say which source addresses may connect. Its rules are objects of their own; deleting a policy deletes them. */
  readonly ipPolicies: Readonly<Record<string, IpPolicy>>;

  /** Allows or denies one network within an IP policy. */
  readonly ipPolicyRules: Readonly<Record<string, IpPolicyRule>>;

  /** Sends traffic to every tunnel that has all of these labels. */
  readonly tunnelGroupBackends: Readonly<Record<string, TunnelGroupBackend>>;

  /** Sends traffic to the first of its backends that can take it. */
  readonly failoverBackends: Readonly<Record<string, FailoverBackend>>;

  /** Spreads traffic over its backends in proportion to their weights. */
  readonly weightedBackends: Readonly<Record<string, WeightedBackend>>;

  /** Answers every request with the same response, for example a maintenance page. */
  readonly httpResponseBackends: Readonly<Record<string, HttpResponseBackend>>;

  /** Sends traffic to a fixed address. */
  readonly staticBackends: Readonly<Record<string, StaticBackend>>;

  /** Serves hostports over TLS and sends their traffic to a backend. Its modules restrict, authenticate and shape that traffic; each can be declared here or as a resource of its own. */
  readonly tlsEdges: Readonly<Record<string, TlsEdge>>;

  /** Serves ports over TCP and sends the bytes of each connection to a backend as they are. Connections say no name, so a port belongs to one edge. Its modules restrict and shape that traffic; each can be declared here or as a resource of its own. */
  readonly tcpEdges: Readonly<Record<string, TcpEdge>>;

  /** Serves hostports over HTTPS and hands each request to the route that matches its path. Deleting an edge deletes its routes, which have at most 4 MiB together. */
  readonly httpsEdges: Readonly<Record<string, HttpsEdge>>;

  /** Handles the requests whose path matches: its modules decide who may send them, and its backend gets them. */
  readonly httpsEdgeRoutes: Readonly<Record<string, HttpsEdgeRoute>>;

  /** A certificate with its private key, which gateways serve for the reserved domains that name it. Its key is stored sealed, and no answer shows it; gateways alone get it. */
  readonly tlsCertificates: Readonly<Record<string, TlsCertificate>>;

  /** Keeps a domain for its project: no other project can serve it, let agents bind it or sign an SSH host certificate for it. It may name the certificate that gateways serve for it. */
  readonly reservedDomains: Readonly<Record<string, ReservedDomain>>;

  /** Keeps an address with a port for its project. The server chooses a free port of its `--tcp-ports`. */
  readonly reservedAddrs: Readonly<Record<string, ReservedAddr>>;

  /** Says from which addresses the API, the console, gateways by their agents, or all edges of the account may be reached. Several of one type admit whom any of their policies admits. */
  readonly ipRestrictions: Readonly<Record<string, IpRestriction>>;

  /** A service that receives events, with the credentials for it. It has no effect until a subscription names it. */
  readonly eventDestinations: Readonly<Record<string, EventDestination>>;

  /** Sends the events of some types to some destinations. */
  readonly eventSubscriptions: Readonly<Record<string, EventSubscription>>;

  /** A condition for requests: all that it covers must be let in, or none of them. The server refuses a change after which an enforced guarantee would no longer hold. */
  readonly guarantees: Readonly<Record<string, Guarantee>>;

  /** A part of the account whose objects exist only for its members. Every object belongs for good to the project in which it was made. `default` exists from the start; it cannot be deleted or get another name. A project that holds objects cannot be deleted. */
  readonly projects: Readonly<Record<string, Project>>;

  /** Gives a user, a bot or a group of users a role in a project or in the whole account. Memberships add: the strongest role holds. */
  readonly memberships: Readonly<Record<string, Membership>>;

  /** A key with which its owner calls this API. Deleting it revokes it at once, on other servers of the same database within a second. */
  readonly apiKeys: Readonly<Record<string, ApiKey>>;

  /** An owner of API keys and credentials that is not a person, for example a pipeline or a service. Its role decides what its API keys may do. */
  readonly botUsers: Readonly<Record<string, BotUser>>;

  /** Lets jobs of a pipeline work as a bot without an API key: `POST /token` exchanges an identity token of theirs, which its issuer signed, for an API key that soon ends. Changing or deleting the identity ends the keys that came of it. */
  readonly workloadIdentities: Readonly<Record<string, WorkloadIdentity>>;
}

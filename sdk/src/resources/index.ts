// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import { ApiClient } from "../client/apiClient";
import { Collection, Module } from "../client/collection";
import type { TunnelCredential, TunnelCredentialCreate, TunnelCredentialUpdate } from "./tunnelCredential";
import type { SshCredential, SshCredentialCreate, SshCredentialUpdate } from "./sshCredential";
import type { SshCertificateAuthority, SshCertificateAuthorityCreate, SshCertificateAuthorityUpdate } from "./sshCertificateAuthority";
import type { SshUserCertificate, SshUserCertificateCreate, SshUserCertificateUpdate } from "./sshUserCertificate";
import type { SshHostCertificate, SshHostCertificateCreate, SshHostCertificateUpdate } from "./sshHostCertificate";
import type { CertificateAuthority, CertificateAuthorityCreate, CertificateAuthorityUpdate } from "./certificateAuthority";
import type { IpPolicy, IpPolicyCreate, IpPolicyUpdate } from "./ipPolicy";
import type { IpPolicyRule, IpPolicyRuleCreate, IpPolicyRuleUpdate } from "./ipPolicyRule";
import type { TunnelGroupBackend, TunnelGroupBackendCreate, TunnelGroupBackendUpdate } from "./tunnelGroupBackend";
import type { TlsEdge, TlsEdgeBackend, TlsEdgeBackendReplace, TlsEdgeCreate, TlsEdgeIpRestriction, TlsEdgeIpRestrictionReplace, TlsEdgeMutualTls, TlsEdgeMutualTlsReplace, TlsEdgePolicies, TlsEdgePoliciesReplace, TlsEdgeTlsTermination, TlsEdgeTlsTerminationReplace, TlsEdgeUpdate } from "./tlsEdge";

export * from "./tunnelCredential";
export * from "./sshCredential";
export * from "./sshCertificateAuthority";
export * from "./sshUserCertificate";
export * from "./sshHostCertificate";
export * from "./certificateAuthority";
export * from "./ipPolicy";
export * from "./ipPolicyRule";
export * from "./tunnelGroupBackend";
export * from "./tlsEdge";

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

  /** SSH certificate authorities. A key pair that signs SSH certificates for users and hosts. The server makes it, and the private key never leaves the server. */
  readonly sshCertificateAuthorities = new Collection<SshCertificateAuthority, SshCertificateAuthorityCreate, SshCertificateAuthorityUpdate>(this.transport, "/ssh_certificate_authorities", "ssh_certificate_authorities");

  /** SSH user certificates. A certificate with which the holder of a key logs in over SSH, for a limited time, wherever its authority is trusted. */
  readonly sshUserCertificates = new Collection<SshUserCertificate, SshUserCertificateCreate, SshUserCertificateUpdate>(this.transport, "/ssh_user_certificates", "ssh_user_certificates");

  /** SSH host certificates. A certificate with which a host proves its names to SSH clients that trust its authority, so that nobody has to compare fingerprints. */
  readonly sshHostCertificates = new Collection<SshHostCertificate, SshHostCertificateCreate, SshHostCertificateUpdate>(this.transport, "/ssh_host_certificates", "ssh_host_certificates");

  /** Certificate authorities. An X.509 certificate authority whose client certificates an edge accepts for mutual TLS. Only the certificate is uploaded, never its key. */
  readonly certificateAuthorities = new Collection<CertificateAuthority, CertificateAuthorityCreate, CertificateAuthorityUpdate>(this.transport, "/certificate_authorities", "certificate_authorities");

  /** IP policies. A named set of rules that say which source addresses may connect. Its rules are objects of their own; deleting a policy deletes them. */
  readonly ipPolicies = new Collection<IpPolicy, IpPolicyCreate, IpPolicyUpdate>(this.transport, "/ip_policies", "ip_policies");

  /** IP policy rules. Allows or denies one network within an IP policy. */
  readonly ipPolicyRules = new Collection<IpPolicyRule, IpPolicyRuleCreate, IpPolicyRuleUpdate>(this.transport, "/ip_policy_rules", "ip_policy_rules");

  /** Tunnel-group backends. Sends traffic to every tunnel that carries all of its labels. */
  readonly tunnelGroupBackends = new Collection<TunnelGroupBackend, TunnelGroupBackendCreate, TunnelGroupBackendUpdate>(this.transport, "/backends/tunnel_group", "backends");

  /** TLS edges. Serves hostports over TLS and sends their traffic to a backend. Its modules restrict, authenticate and shape that traffic; each can be declared here or as a resource of its own. */
  readonly tlsEdges = Object.assign(new Collection<TlsEdge, TlsEdgeCreate, TlsEdgeUpdate>(this.transport, "/edges/tls", "tls_edges"), {
    backend: new Module<TlsEdgeBackend, TlsEdgeBackendReplace>(this.transport, "/edges/tls", "backend"),
    ipRestriction: new Module<TlsEdgeIpRestriction, TlsEdgeIpRestrictionReplace>(this.transport, "/edges/tls", "ip_restriction"),
    mutualTls: new Module<TlsEdgeMutualTls, TlsEdgeMutualTlsReplace>(this.transport, "/edges/tls", "mutual_tls"),
    tlsTermination: new Module<TlsEdgeTlsTermination, TlsEdgeTlsTerminationReplace>(this.transport, "/edges/tls", "tls_termination"),
    policies: new Module<TlsEdgePolicies, TlsEdgePoliciesReplace>(this.transport, "/edges/tls", "policies"),
  });
}

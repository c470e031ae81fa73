// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type { CertificateAuthority } from "./certificateAuthority";
import type { IpPolicy } from "./ipPolicy";
import type { IpPolicyRule } from "./ipPolicyRule";
import type { SshCredential } from "./sshCredential";
import type { TlsEdge } from "./tlsEdge";
import type { TunnelCredential } from "./tunnelCredential";
import type { TunnelGroupBackend } from "./tunnelGroupBackend";

/** The resources that a catalogue declares, by collection and name. */
export interface Catalogue {
  /** An authtoken with which an agent starts tunnel sessions. Its ACL limits what those sessions may bind. */
  readonly tunnelCredentials: Readonly<Record<string, TunnelCredential>>;

  /** A public key that may start tunnels through the SSH gateway. Its ACL limits what those tunnels may bind. */
  readonly sshCredentials: Readonly<Record<string, SshCredential>>;

  /** An X.509 certificate authority whose client certificates an edge accepts for mutual TLS. Only the certificate is uploaded, never its key. */
  readonly certificateAuthorities: Readonly<Record<string, CertificateAuthority>>;

  /** A named set of rules that say which source addresses may connect. Its rules are objects of their own; deleting a policy deletes them. */
  readonly ipPolicies: Readonly<Record<string, IpPolicy>>;

  /** Allows or denies one network within an IP policy. */
  readonly ipPolicyRules: Readonly<Record<string, IpPolicyRule>>;

  /** Sends traffic to every tunnel that carries all of its labels. */
  readonly tunnelGroupBackends: Readonly<Record<string, TunnelGroupBackend>>;

  /** Serves hostports over TLS and sends their traffic to a backend. Its modules restrict, authenticate and shape that traffic; each can be declared here or as a resource of its own. */
  readonly tlsEdges: Readonly<Record<string, TlsEdge>>;
}

// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type { Ref } from "../client/ref";

/** The fields of `certificate_management_policy`. */
export interface ReservedDomainCertificateManagementPolicy {
  /** The authority: `letsencrypt`. */
  authority: "letsencrypt";

  /** The type of the key: `ecdsa` (P-256) or `rsa` (2048 bits). */
  private_key_type: "ecdsa" | "rsa";
}

/** The fields of `resolves_to`. */
export interface ReservedDomainResolvesTo {
  /** A name or an address. */
  value: string;
}

/** The fields of `provisioning_job`. */
export interface ReservedDomainCertificateManagementStatusProvisioningJob {
  /** The reason why no certificate was issued; null for none yet. */
  error_code: string | null;

  /** The same in words. */
  msg: string;

  /** When it was first tried (RFC 3339). */
  started_at: string | null;

  /** When it will be tried again (RFC 3339); null while it is in progress. */
  retries_at: string | null;
}

/** The fields of `certificate_management_status`. */
export interface ReservedDomainCertificateManagementStatus {
  /** When the certificate will be renewed (RFC 3339); null while there is none. */
  renews_at: string | null;

  /** The order in progress; null for none. */
  provisioning_job: ReservedDomainCertificateManagementStatusProvisioningJob | null;
}

/**
 * Keeps a domain for its project: no other project can serve it, let agents bind it or sign an SSH host certificate for it. It may name the certificate that gateways serve for it.
 *
 * As the API returns it.
 */
export interface ReservedDomain {
  /** Identifier, `rd_` and 27 characters that sort by time. */
  id: string;

  /** Address of this object. */
  uri: string;

  /** When it was created (RFC 3339). */
  created_at: string;

  /** A description for people. At most 255 bytes. */
  description: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata: string;

  /** The domain, or `*.` and a domain for all names below it, at any depth. `example.com` does not cover the names below it. Set at creation only. */
  domain: string;

  /** Stored as sent, for programs that name one. Set at creation only. */
  region: string;

  /** The TLS certificate that gateways serve for the domain, which it must cover. With a `certificate_management_policy`, the one that was ordered. */
  certificate: Ref | null;

  /** Asks for a certificate that the server orders and renews by ACME. It takes the place of `certificate_id`, and the other way round. */
  certificate_management_policy: ReservedDomainCertificateManagementPolicy | null;

  /** Stored as sent, for programs that name some; null where none are named, and for `[]`. */
  resolves_to: ReservedDomainResolvesTo[] | null;

  /** The name to which a CNAME record of the domain should lead: the server's `--cname-target`; null without one. */
  cname_target: string | null;

  /** How far the certificate is that the policy asks for; null without a policy. */
  certificate_management_status: ReservedDomainCertificateManagementStatus | null;

  /** While a certificate is ordered with the challenge `tls-alpn-01` (RFC 8737): the digest that gateways show, in base64url; null otherwise. */
  acme_tls_alpn: string | null;

  /** Always null: challenges need no CNAME record of the domain here. */
  acme_challenge_cname_target: string | null;
}

/** The fields of `certificate_management_policy`. */
export interface ReservedDomainCertificateManagementPolicyReplace {
  /** The authority: `letsencrypt`. Default `"letsencrypt"`. */
  authority?: "letsencrypt";

  /** The type of the key: `ecdsa` (P-256) or `rsa` (2048 bits). Default `"ecdsa"`. */
  private_key_type?: "ecdsa" | "rsa";
}

/** The fields of `resolves_to`. */
export interface ReservedDomainResolvesToReplace {
  /** A name or an address. */
  value: string;
}

/** The body that creates a reserved domain. */
export interface ReservedDomainCreate {
  /** A description for people. At most 255 bytes. */
  description?: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: string;

  /** The domain, or `*.` and a domain for all names below it, at any depth. `example.com` does not cover the names below it. Set at creation only. */
  domain: string;

  /** Stored as sent, for programs that name one. Set at creation only. */
  region?: string;

  /** The TLS certificate that gateways serve for the domain, which it must cover. With a `certificate_management_policy`, the one that was ordered. */
  certificate_id?: string;

  /** Asks for a certificate that the server orders and renews by ACME. It takes the place of `certificate_id`, and the other way round. */
  certificate_management_policy?: ReservedDomainCertificateManagementPolicyReplace;

  /** Stored as sent, for programs that name some; null where none are named, and for `[]`. */
  resolves_to?: ReservedDomainResolvesToReplace[];
}

/** The body that updates a reserved domain; fields left out stay as they are. */
export type ReservedDomainUpdate = Partial<Omit<ReservedDomainCreate, "domain" | "region">>;

// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
/**
 * An X.509 certificate authority whose client certificates an edge accepts for mutual TLS. Only the certificate is uploaded, never its key.
 *
 * As the API returns it.
 */
export interface CertificateAuthority {
  /** Identifier, `ca_` and 27 characters that sort by time. */
  id: string;

  /** Address of this object. */
  uri: string;

  /** When it was created (RFC 3339). */
  created_at: string;

  /** A description for people. At most 255 bytes. */
  description: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata: string;

  /** The certificate as PEM: exactly one certificate of an authority, with at most 64 extensions. Gateways cannot use one with an RSA-PSS key. Set at creation only. */
  ca_pem: string;

  /** Common name of the certificate's subject. */
  subject_common_name: string;

  /** When the certificate becomes valid (RFC 3339). */
  not_before: string;

  /** When the certificate becomes invalid (RFC 3339). */
  not_after: string;

  /** Key usages, in the names of RFC 5280; empty if the certificate names none. */
  key_usages: string[];

  /** Extended key usages, in the names of RFC 5280; empty if the certificate names none. */
  extended_key_usages: string[];
}

/** The body that creates a certificate authority. */
export interface CertificateAuthorityCreate {
  /** A description for people. At most 255 bytes. */
  description?: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: string;

  /** The certificate as PEM: exactly one certificate of an authority, with at most 64 extensions. Gateways cannot use one with an RSA-PSS key. Set at creation only. */
  ca_pem: string;
}

/** The body that updates a certificate authority; fields left out stay as they are. */
export type CertificateAuthorityUpdate = Partial<Omit<CertificateAuthorityCreate, "ca_pem">>;

// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
/** The names and the IP addresses that the certificate is good for. */
export interface TlsCertificateSubjectAlternativeNames {
  /** Domain names; `*.` in front stands for one label. */
  dns_names: string[];

  /** IP addresses. */
  ips: string[];
}

/**
 * A certificate with its private key, which gateways serve for the reserved domains that name it. Its key is stored sealed, and no answer shows it; gateways alone get it.
 *
 * As the API returns it.
 */
export interface TlsCertificate {
  /** Identifier, `cert_` and 27 characters that sort by time. */
  id: string;

  /** Address of this object. */
  uri: string;

  /** When it was created (RFC 3339). */
  created_at: string;

  /** A description for people. At most 255 bytes. */
  description: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata: string;

  /** The chain as PEM: the certificate of the server first, and behind each certificate the one that signed it; at most 10. Set at creation only. */
  certificate_pem: string;

  /** The private key of the first certificate, as PEM without a passphrase: ECDSA (P-256, P-384, P-521) or RSA (2048 to 4096 bits). Answers show null. Set at creation only. Secret. */
  private_key_pem: string | null;

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

  /** The names and the IP addresses that the certificate is good for. */
  subject_alternative_names: TlsCertificateSubjectAlternativeNames;

  /** When it was issued for its domain (RFC 3339); null for one that was uploaded. */
  issued_at: string | null;

  /** The type of the private key. */
  private_key_type: "rsa" | "ecdsa";

  /** Common name of the authority that issued it. */
  issuer_common_name: string;

  /** The serial number, in lower-case hexadecimal. */
  serial_number: string;

  /** Organization of the certificate's subject; empty if it has none. */
  subject_organization: string;

  /** Organizational unit of the certificate's subject; empty if it has none. */
  subject_organizational_unit: string;

  /** Locality of the certificate's subject; empty if it has none. */
  subject_locality: string;

  /** State or province of the certificate's subject; empty if it has none. */
  subject_province: string;

  /** Country of the certificate's subject; empty if it has none. */
  subject_country: string;
}

/** The body that creates a TLS certificate. */
export interface TlsCertificateCreate {
  /** A description for people. At most 255 bytes. */
  description?: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: string;

  /** The chain as PEM: the certificate of the server first, and behind each certificate the one that signed it; at most 10. Set at creation only. */
  certificate_pem: string;

  /** The private key of the first certificate, as PEM without a passphrase: ECDSA (P-256, P-384, P-521) or RSA (2048 to 4096 bits). Answers show null. Set at creation only. Secret. */
  private_key_pem: string;
}

/** The body that updates a TLS certificate; fields left out stay as they are. */
export type TlsCertificateUpdate = Partial<Omit<TlsCertificateCreate, "certificate_pem" | "private_key_pem">>;

// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";

/** The arguments of a TLS certificate. */
export interface TlsCertificateArgs {
  /** A description for people. At most 255 bytes. */
  description?: pulumi.Input<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: pulumi.Input<string>;

  /** The chain as PEM: the certificate of the server first, and behind each certificate the one that signed it; at most 10. Set at creation only. */
  certificatePem: pulumi.Input<string>;

  /** The private key of the first certificate, as PEM without a passphrase: ECDSA (P-256, P-384, P-521) or RSA (2048 to 4096 bits). Answers show null. Set at creation only. Secret. */
  privateKeyPem: pulumi.Input<string>;
}

/**
 * A certificate with its private key, which gateways serve for the reserved domains that name it. Its key is stored sealed, and no answer shows it; gateways alone get it.
 *
 * @example
 * ```ts
 * const certificate = new tunnels.TlsCertificate("app", {
 *   certificatePem: readFileSync("app.example.com.pem", "utf8"),
 *   privateKeyPem: config.requireSecret("appKey"),
 * });
 * ```
 */
export class TlsCertificate extends Resource {
  /** A description for people. At most 255 bytes. */
  declare readonly description: pulumi.Output<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  declare readonly metadata: pulumi.Output<string>;

  /** The chain as PEM: the certificate of the server first, and behind each certificate the one that signed it; at most 10. Set at creation only. */
  declare readonly certificatePem: pulumi.Output<string>;

  /** The private key of the first certificate, as PEM without a passphrase: ECDSA (P-256, P-384, P-521) or RSA (2048 to 4096 bits). Answers show null. Set at creation only. Secret. */
  declare readonly privateKeyPem: pulumi.Output<string>;

  /** Common name of the certificate's subject. */
  declare readonly subjectCommonName: pulumi.Output<string>;

  /** When the certificate becomes valid (RFC 3339). */
  declare readonly notBefore: pulumi.Output<string>;

  /** When the certificate becomes invalid (RFC 3339). */
  declare readonly notAfter: pulumi.Output<string>;

  /** Key usages, in the names of RFC 5280; empty if the certificate names none. */
  declare readonly keyUsages: pulumi.Output<string[]>;

  /** Extended key usages, in the names of RFC 5280; empty if the certificate names none. */
  declare readonly extendedKeyUsages: pulumi.Output<string[]>;

  /** The names and the IP addresses that the certificate is good for. */
  declare readonly subjectAlternativeNames: pulumi.Output<pulumi.Unwrap<NonNullable<unknown>>>;

  /** When it was issued for its domain (RFC 3339); null for one that was uploaded. */
  declare readonly issuedAt: pulumi.Output<string>;

  /** The type of the private key. */
  declare readonly privateKeyType: pulumi.Output<"rsa" | "ecdsa">;

  /** Common name of the authority that issued it. */
  declare readonly issuerCommonName: pulumi.Output<string>;

  /** The serial number, in lower-case hexadecimal. */
  declare readonly serialNumber: pulumi.Output<string>;

  /** Organization of the certificate's subject; empty if it has none. */
  declare readonly subjectOrganization: pulumi.Output<string>;

  /** Organizational unit of the certificate's subject; empty if it has none. */
  declare readonly subjectOrganizationalUnit: pulumi.Output<string>;

  /** Locality of the certificate's subject; empty if it has none. */
  declare readonly subjectLocality: pulumi.Output<string>;

  /** State or province of the certificate's subject; empty if it has none. */
  declare readonly subjectProvince: pulumi.Output<string>;

  /** Country of the certificate's subject; empty if it has none. */
  declare readonly subjectCountry: pulumi.Output<string>;

  /** Address of this object. */
  declare readonly uri: pulumi.Output<string>;

  /** When it was created (RFC 3339). */
  declare readonly createdAt: pulumi.Output<string>;

  /** @param args the declared properties; see {@link TlsCertificateArgs} */
  constructor(name: string, args: TlsCertificateArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "tls_certificate", type: "TlsCertificate", properties: ["description", "metadata", "certificatePem", "privateKeyPem", "subjectCommonName", "notBefore", "notAfter", "keyUsages", "extendedKeyUsages", "subjectAlternativeNames", "issuedAt", "privateKeyType", "issuerCommonName", "serialNumber", "subjectOrganization", "subjectOrganizationalUnit", "subjectLocality", "subjectProvince", "subjectCountry", "uri", "createdAt"], secrets: ["privateKeyPem"] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): TlsCertificate {
    return new TlsCertificate(name, {} as TlsCertificateArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.TlsCertificate, …)`. */
  static override isInstance(resource: unknown): resource is TlsCertificate {
    return isOfType(resource, "TlsCertificate");
  }
}

// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";

/** The arguments of a certificate authority. */
export interface CertificateAuthorityArgs {
  /** A description for people. At most 255 bytes. */
  description?: pulumi.Input<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: pulumi.Input<string>;

  /** The certificate as PEM: exactly one certificate of an authority, with at most 64 extensions. Gateways cannot use one with an RSA-PSS key. Set at creation only. */
  caPem: pulumi.Input<string>;
}

/**
 * An X.509 certificate authority whose client certificates an edge accepts for mutual TLS. Only the certificate is uploaded, never its key.
 *
 * @example
 * ```ts
 * const clients = new tunnels.CertificateAuthority("clients", {
 *   description: "signs the certificates of our partners",
 *   caPem: readFileSync("clients-ca.pem", "utf8"),
 * });
 * ```
 */
export class CertificateAuthority extends Resource {
  /** A description for people. At most 255 bytes. */
  declare readonly description: pulumi.Output<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  declare readonly metadata: pulumi.Output<string>;

  /** The certificate as PEM: exactly one certificate of an authority, with at most 64 extensions. Gateways cannot use one with an RSA-PSS key. Set at creation only. */
  declare readonly caPem: pulumi.Output<string>;

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

  /** Address of this object. */
  declare readonly uri: pulumi.Output<string>;

  /** When it was created (RFC 3339). */
  declare readonly createdAt: pulumi.Output<string>;

  /** @param args the declared properties; see {@link CertificateAuthorityArgs} */
  constructor(name: string, args: CertificateAuthorityArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "certificate_authority", type: "CertificateAuthority", properties: ["description", "metadata", "caPem", "subjectCommonName", "notBefore", "notAfter", "keyUsages", "extendedKeyUsages", "uri", "createdAt"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): CertificateAuthority {
    return new CertificateAuthority(name, {} as CertificateAuthorityArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.CertificateAuthority, …)`. */
  static override isInstance(resource: unknown): resource is CertificateAuthority {
    return isOfType(resource, "CertificateAuthority");
  }
}

// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";

/** The fields of `certificateManagementPolicy`. */
export interface ReservedDomainCertificateManagementPolicyModule {
  /** The authority: `letsencrypt`. Default `"letsencrypt"`. */
  authority?: pulumi.Input<"letsencrypt">;

  /** The type of the key: `ecdsa` (P-256) or `rsa` (2048 bits). Default `"ecdsa"`. */
  privateKeyType?: pulumi.Input<"ecdsa" | "rsa">;
}

/** The fields of `resolvesTo`. */
export interface ReservedDomainResolvesToModule {
  /** A name or an address. */
  value: pulumi.Input<string>;
}

/** The arguments of a reserved domain. */
export interface ReservedDomainArgs {
  /** A description for people. At most 255 bytes. */
  description?: pulumi.Input<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: pulumi.Input<string>;

  /** The domain, or `*.` and a domain for all names below it, at any depth. `example.com` does not cover the names below it. Set at creation only. */
  domain: pulumi.Input<string>;

  /** Stored as sent, for programs that name one. Set at creation only. */
  region?: pulumi.Input<string>;

  /** The TLS certificate that gateways serve for the domain, which it must cover. With a `certificate_management_policy`, the one that was ordered. */
  certificateId?: pulumi.Input<string>;

  /** Asks for a certificate that the server orders and renews by ACME. It takes the place of `certificate_id`, and the other way round. */
  certificateManagementPolicy?: pulumi.Input<ReservedDomainCertificateManagementPolicyModule>;

  /** Stored as sent, for programs that name some; null where none are named, and for `[]`. */
  resolvesTo?: pulumi.Input<pulumi.Input<ReservedDomainResolvesToModule>[]>;
}

/**
 * Keeps a domain for its project: no other project can serve it, let agents bind it or sign an SSH host certificate for it. It may name the certificate that gateways serve for it.
 *
 * @example
 * ```ts
 * const domain = new tunnels.ReservedDomain("app", {
 *   domain: "app.example.com",
 *   certificateId: certificate.id,
 * });
 * ```
 */
export class ReservedDomain extends Resource {
  /** A description for people. At most 255 bytes. */
  declare readonly description: pulumi.Output<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  declare readonly metadata: pulumi.Output<string>;

  /** The domain, or `*.` and a domain for all names below it, at any depth. `example.com` does not cover the names below it. Set at creation only. */
  declare readonly domain: pulumi.Output<string>;

  /** Stored as sent, for programs that name one. Set at creation only. */
  declare readonly region: pulumi.Output<string>;

  /** The TLS certificate that gateways serve for the domain, which it must cover. With a `certificate_management_policy`, the one that was ordered. */
  declare readonly certificateId: pulumi.Output<string | undefined>;

  /** Asks for a certificate that the server orders and renews by ACME. It takes the place of `certificate_id`, and the other way round. */
  declare readonly certificateManagementPolicy: pulumi.Output<pulumi.Unwrap<NonNullable<ReservedDomainArgs["certificateManagementPolicy"]>> | undefined>;

  /** Stored as sent, for programs that name some; null where none are named, and for `[]`. */
  declare readonly resolvesTo: pulumi.Output<pulumi.Unwrap<NonNullable<ReservedDomainArgs["resolvesTo"]>> | undefined>;

  /** The name to which a CNAME record of the domain should lead: the server's `--cname-target`; null without one. */
  declare readonly cnameTarget: pulumi.Output<string>;

  /** Always null: challenges need no CNAME record of the domain here. */
  declare readonly acmeChallengeCnameTarget: pulumi.Output<string>;

  /** Address of this object. */
  declare readonly uri: pulumi.Output<string>;

  /** When it was created (RFC 3339). */
  declare readonly createdAt: pulumi.Output<string>;

  /** @param args the declared properties; see {@link ReservedDomainArgs} */
  constructor(name: string, args: ReservedDomainArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "reserved_domain", type: "ReservedDomain", properties: ["description", "metadata", "domain", "region", "certificateId", "certificateManagementPolicy", "resolvesTo", "cnameTarget", "acmeChallengeCnameTarget", "uri", "createdAt"], secrets: [], unique: true }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): ReservedDomain {
    return new ReservedDomain(name, {} as ReservedDomainArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.ReservedDomain, …)`. */
  static override isInstance(resource: unknown): resource is ReservedDomain {
    return isOfType(resource, "ReservedDomain");
  }
}

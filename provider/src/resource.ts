import * as pulumi from "@pulumi/pulumi";

/** What the engine has to know of a class before the contract is loaded. */
export interface ResourceShape {
  /** What the contract calls it: `tls_edge`, or `tls_edge.backend` for a module. */
  readonly kind: string;
  /** The name of the class. */
  readonly type: string;
  /** Every property that the resource will have. */
  readonly properties: readonly string[];
  /** Those that the state keeps encrypted. */
  readonly secrets: readonly string[];
}

/** What every resource of this package is. */
export abstract class Resource extends pulumi.CustomResource {
  protected constructor(shape: ResourceShape, name: string, args: object, options: pulumi.CustomResourceOptions = {}) {
    const undeclared = Object.fromEntries(shape.properties.map((property) => [property, undefined]));
    super(
      `pulumi-nodejs:dynamic/tunnelplane:${shape.type}`,
      name,
      { ...undeclared, ...args, __provider: providerLiteral(shape.kind) },
      pulumi.mergeOptions({ additionalSecretOutputs: [...shape.secrets] }, options),
    );
  }
}

/**
 * The provider of a resource as its state keeps it: a program that fetches the real one. Every byte of it
 * is written with every step of every operation (1.8 KB of code make 500 creations twice as slow, see the
 * engine's measurements in docs/architecture.md), and old state runs it after an upgrade: it must never change.
 */
export const providerLiteral = (kind: string): string => `exports.handler=()=>require("@tunnelplane/pulumi/dynamic")("${kind}")`;

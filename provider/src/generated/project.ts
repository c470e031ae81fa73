// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";

/** The arguments of a project. */
export interface ProjectArgs {
  /** Its name, with which the header `Tunnelplane-Project` chooses it: 1 to 40 lower-case letters, digits and dashes. Unique in the account. */
  name: pulumi.Input<string>;

  /** A description for people. At most 255 bytes. */
  description?: pulumi.Input<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: pulumi.Input<string>;

  /** Whether other projects may read its objects and refer to them; only its members change them. Stays true while others refer to any of them. Default false. */
  shared?: pulumi.Input<boolean>;
}

/**
 * A part of the account whose objects exist only for its members. Every object belongs for good to the project in which it was made. `default` exists from the start; it cannot be deleted or get another name. A project that holds objects cannot be deleted.
 *
 * @example
 * ```ts
 * const shop = new tunnels.Project("shop", { name: "web-shop", description: "the shop's team" });
 * ```
 */
export class Project extends Resource {
  /** Its name, with which the header `Tunnelplane-Project` chooses it: 1 to 40 lower-case letters, digits and dashes. Unique in the account. */
  declare readonly name: pulumi.Output<string>;

  /** A description for people. At most 255 bytes. */
  declare readonly description: pulumi.Output<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  declare readonly metadata: pulumi.Output<string>;

  /** Whether other projects may read its objects and refer to them; only its members change them. Stays true while others refer to any of them. Default false. */
  declare readonly shared: pulumi.Output<boolean>;

  /** Address of this object. */
  declare readonly uri: pulumi.Output<string>;

  /** When it was created (RFC 3339). */
  declare readonly createdAt: pulumi.Output<string>;

  /** @param args the declared properties; see {@link ProjectArgs} */
  constructor(name: string, args: ProjectArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "project", type: "Project", properties: ["name", "description", "metadata", "shared", "uri", "createdAt"], secrets: [], unique: true }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): Project {
    return new Project(name, {} as ProjectArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.Project, …)`. */
  static override isInstance(resource: unknown): resource is Project {
    return isOfType(resource, "Project");
  }
}

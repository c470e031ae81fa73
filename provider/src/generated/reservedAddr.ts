// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";

/** The arguments of a reserved address. */
export interface ReservedAddrArgs {
  /** A description for people. At most 255 bytes. */
  description?: pulumi.Input<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: pulumi.Input<string>;

  /** Stored as sent, for programs that name one. Set at creation only. */
  region?: pulumi.Input<string>;
}

/**
 * Keeps an address with a port for its project. The server chooses a free port of its `--tcp-ports`.
 *
 * @example
 * ```ts
 * const address = new tunnels.ReservedAddr("database", { description: "for our database" });
 * const edge = new tunnels.TcpEdge("database", { hostports: [address.addr] });
 * ```
 */
export class ReservedAddr extends Resource {
  /** A description for people. At most 255 bytes. */
  declare readonly description: pulumi.Output<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  declare readonly metadata: pulumi.Output<string>;

  /** Stored as sent, for programs that name one. Set at creation only. */
  declare readonly region: pulumi.Output<string>;

  /** The address, `<host>:<port>`: the host of the server's `--tcp-address`, and a port of its `--tcp-ports` that was free. */
  declare readonly addr: pulumi.Output<string>;

  /** Address of this object. */
  declare readonly uri: pulumi.Output<string>;

  /** When it was created (RFC 3339). */
  declare readonly createdAt: pulumi.Output<string>;

  /** @param args the declared properties; see {@link ReservedAddrArgs} */
  constructor(name: string, args: ReservedAddrArgs = {}, options?: pulumi.CustomResourceOptions) {
    super({ kind: "reserved_addr", type: "ReservedAddr", properties: ["description", "metadata", "region", "addr", "uri", "createdAt"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): ReservedAddr {
    return new ReservedAddr(name, {} as ReservedAddrArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.ReservedAddr, …)`. */
  static override isInstance(resource: unknown): resource is ReservedAddr {
    return isOfType(resource, "ReservedAddr");
  }
}

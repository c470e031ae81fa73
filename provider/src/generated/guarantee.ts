// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";

/** The arguments of a guarantee. */
export interface GuaranteeArgs {
  /** `refused`: none of the requests is let in. `answered`: each of them is, whether a backend is there to answer it or not. */
  expect: pulumi.Input<"refused" | "answered">;

  /** The addresses that it covers, each `<host>:<port>` with a beginning of paths if you like. The host is a name, `*.<name>` for all names below it, at any depth, or `*`; the port is a number or `*`. As with routes, `/admin` covers `/admin/x` and `/adminx` too. */
  addresses: pulumi.Input<pulumi.Input<string>[]>;

  /** The methods of requests that it covers, for example `GET`. Empty: all. */
  methods?: pulumi.Input<pulumi.Input<string>[]>;

  /** The networks whose callers it covers. Empty: every address. */
  networks?: pulumi.Input<pulumi.Input<string>[]>;

  /** Networks whose callers it does not cover. */
  exceptNetworks?: pulumi.Input<pulumi.Input<string>[]>;

  /** Requests with a client certificate: `any`, with or without; `none`, without; `required`, with one that the address accepts. Where an address checks none, every value counts. Default `any`. */
  clientCertificate?: pulumi.Input<"any" | "none" | "required">;

  /** Requests with a JSON Web Token: `any`, with or without; `none`, without; `required`, with one that the address accepts. Where an address checks none, every value counts. Default `any`. */
  token?: pulumi.Input<"any" | "none" | "required">;

  /** Requests of users who signed in: `any`, with or without; `none`, without; `required`, with a session that the address accepts. Where an address checks none, every value counts. Default `any`. */
  session?: pulumi.Input<"any" | "none" | "required">;

  /** `enforce` refuses changes that would break it; `report` only answers its state. Default `enforce`. */
  mode?: pulumi.Input<"enforce" | "report">;

  /** A description for people. At most 255 bytes. */
  description?: pulumi.Input<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: pulumi.Input<string>;
}

/**
 * A condition for requests: all that it covers must be let in, or none of them. The server refuses a change after which an enforced guarantee would no longer hold.
 *
 * @example
 * ```ts
 * const admin = new tunnels.Guarantee("admin", {
 *   description: "nobody reaches an admin page without a client certificate",
 *   expect: "refused",
 *   addresses: ["*:443/admin"],
 *   clientCertificate: "none",
 * });
 * ```
 */
export class Guarantee extends Resource {
  /** `refused`: none of the requests is let in. `answered`: each of them is, whether a backend is there to answer it or not. */
  declare readonly expect: pulumi.Output<"refused" | "answered">;

  /** The addresses that it covers, each `<host>:<port>` with a beginning of paths if you like. The host is a name, `*.<name>` for all names below it, at any depth, or `*`; the port is a number or `*`. As with routes, `/admin` covers `/admin/x` and `/adminx` too. */
  declare readonly addresses: pulumi.Output<string[]>;

  /** The methods of requests that it covers, for example `GET`. Empty: all. */
  declare readonly methods: pulumi.Output<string[]>;

  /** The networks whose callers it covers. Empty: every address. */
  declare readonly networks: pulumi.Output<string[]>;

  /** Networks whose callers it does not cover. */
  declare readonly exceptNetworks: pulumi.Output<string[]>;

  /** Requests with a client certificate: `any`, with or without; `none`, without; `required`, with one that the address accepts. Where an address checks none, every value counts. Default `any`. */
  declare readonly clientCertificate: pulumi.Output<"any" | "none" | "required">;

  /** Requests with a JSON Web Token: `any`, with or without; `none`, without; `required`, with one that the address accepts. Where an address checks none, every value counts. Default `any`. */
  declare readonly token: pulumi.Output<"any" | "none" | "required">;

  /** Requests of users who signed in: `any`, with or without; `none`, without; `required`, with a session that the address accepts. Where an address checks none, every value counts. Default `any`. */
  declare readonly session: pulumi.Output<"any" | "none" | "required">;

  /** `enforce` refuses changes that would break it; `report` only answers its state. Default `enforce`. */
  declare readonly mode: pulumi.Output<"enforce" | "report">;

  /** A description for people. At most 255 bytes. */
  declare readonly description: pulumi.Output<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  declare readonly metadata: pulumi.Output<string>;

  /** Whether it holds; `unproved` if no request was found that breaks it, but not every one could be decided. Answered for a single guarantee, and in lists with `?state=true`; null in other answers, as are the fields below. */
  declare readonly state: pulumi.Output<"holds" | "broken" | "unproved">;

  /** How many of the declared addresses it covers. One that covers none refuses nothing yet. */
  declare readonly covered: pulumi.Output<number>;

  /** If it is broken: a request that breaks it, with the decision. */
  declare readonly example: pulumi.Output<pulumi.Unwrap<NonNullable<unknown>>>;

  /** Why it is unproved; or that it covers no declared address. */
  declare readonly reason: pulumi.Output<string>;

  /** Address of this object. */
  declare readonly uri: pulumi.Output<string>;

  /** When it was created (RFC 3339). */
  declare readonly createdAt: pulumi.Output<string>;

  /** @param args the declared properties; see {@link GuaranteeArgs} */
  constructor(name: string, args: GuaranteeArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "guarantee", type: "Guarantee", properties: ["expect", "addresses", "methods", "networks", "exceptNetworks", "clientCertificate", "token", "session", "mode", "description", "metadata", "state", "covered", "example", "reason", "uri", "createdAt"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): Guarantee {
    return new Guarantee(name, {} as GuaranteeArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.Guarantee, …)`. */
  static override isInstance(resource: unknown): resource is Guarantee {
    return isOfType(resource, "Guarantee");
  }
}

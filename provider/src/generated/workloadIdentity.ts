// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";

/** The arguments of a workload identity. */
export interface WorkloadIdentityArgs {
  /** Whose jobs these are. At most 255 bytes. */
  description?: pulumi.Input<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: pulumi.Input<string>;

  /** Who signs the tokens: the claim `iss`, exactly as tokens have it. The server reads its keys from the address that its discovery document names (OpenID Connect Discovery or RFC 8414). Plain http, and addresses that are not on the internet, need a server with `--allow-private-targets`. */
  issuer: pulumi.Input<string>;

  /** The audiences that tokens are made for: the claim `aud` must name one of them, with or without a `/` at the end. Empty: the server's `--public-url`, which is what providers and the command line ask GitHub for. */
  audiences: pulumi.Input<pulumi.Input<string>[]>;

  /** Claims that a token must have, each with a text that it must match as a whole, in its case; `*` stands for any text. Of a list, one element must match; numbers, true and false match as JSON prints them. A dot leads into an object (`realm_access.roles`, `kubernetes.io.namespace`), `\.` is a dot of a name, and a name with `:` or `/` is one name (`https://example.com/roles`). At least one must say who has the token (not `iss`, `aud`, `exp`, `nbf`, `iat`, `jti` or `typ`, nor by `true` or `false`), and be a whole text, or begin with a whole name before its first `*`, after a scheme or label: `repo:acme/*`. At most 16 claims. */
  claims: pulumi.Input<Record<string, pulumi.Input<string>>>;

  /** The bot that jobs work as. Its role decides what they may do. */
  botUserId: pulumi.Input<string>;

  /** What the keys may do of what the bot's role allows, as with `scopes` of API keys: `read`, `plan`, `write`, `KIND:read`, `KIND:write`. Empty: all. Default: the scopes of the API key that creates the identity, which creates and changes none with more. */
  scopes?: pulumi.Input<pulumi.Input<string>[]>;

  /** How long an API key lasts that a token is exchanged for, in seconds: 60 to 3600. Default 900. A longer run exchanges again. */
  ttl?: pulumi.Input<number>;
}

/**
 * Lets jobs of a pipeline work as a bot without an API key: `POST /token` exchanges an identity token of theirs, which its issuer signed, for an API key that soon ends. Changing or deleting the identity ends the keys that came of it.
 *
 * @example
 * ```ts
 * const ci = new tunnels.BotUser("ci", { name: "ci" });
 * const deploys = new tunnels.WorkloadIdentity("deploys", {
 *   issuer: "https://token.actions.githubusercontent.com",
 *   audiences: ["https://tunnels.example.com"],
 *   claims: { sub: "repo:acme/infra:ref:refs/heads/main" },
 *   botUserId: ci.id,
 * });
 * ```
 */
export class WorkloadIdentity extends Resource {
  /** Whose jobs these are. At most 255 bytes. */
  declare readonly description: pulumi.Output<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  declare readonly metadata: pulumi.Output<string>;

  /** Who signs the tokens: the claim `iss`, exactly as tokens have it. The server reads its keys from the address that its discovery document names (OpenID Connect Discovery or RFC 8414). Plain http, and addresses that are not on the internet, need a server with `--allow-private-targets`. */
  declare readonly issuer: pulumi.Output<string>;

  /** The audiences that tokens are made for: the claim `aud` must name one of them, with or without a `/` at the end. Empty: the server's `--public-url`, which is what providers and the command line ask GitHub for. */
  declare readonly audiences: pulumi.Output<string[]>;

  /** Claims that a token must have, each with a text that it must match as a whole, in its case; `*` stands for any text. Of a list, one element must match; numbers, true and false match as JSON prints them. A dot leads into an object (`realm_access.roles`, `kubernetes.io.namespace`), `\.` is a dot of a name, and a name with `:` or `/` is one name (`https://example.com/roles`). At least one must say who has the token (not `iss`, `aud`, `exp`, `nbf`, `iat`, `jti` or `typ`, nor by `true` or `false`), and be a whole text, or begin with a whole name before its first `*`, after a scheme or label: `repo:acme/*`. At most 16 claims. */
  declare readonly claims: pulumi.Output<Record<string, string>>;

  /** The bot that jobs work as. Its role decides what they may do. */
  declare readonly botUserId: pulumi.Output<string>;

  /** What the keys may do of what the bot's role allows, as with `scopes` of API keys: `read`, `plan`, `write`, `KIND:read`, `KIND:write`. Empty: all. Default: the scopes of the API key that creates the identity, which creates and changes none with more. */
  declare readonly scopes: pulumi.Output<string[]>;

  /** How long an API key lasts that a token is exchanged for, in seconds: 60 to 3600. Default 900. A longer run exchanges again. */
  declare readonly ttl: pulumi.Output<number>;

  /** Address of this object. */
  declare readonly uri: pulumi.Output<string>;

  /** When it was created (RFC 3339). */
  declare readonly createdAt: pulumi.Output<string>;

  /** @param args the declared properties; see {@link WorkloadIdentityArgs} */
  constructor(name: string, args: WorkloadIdentityArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "workload_identity", type: "WorkloadIdentity", properties: ["description", "metadata", "issuer", "audiences", "claims", "botUserId", "scopes", "ttl", "uri", "createdAt"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): WorkloadIdentity {
    return new WorkloadIdentity(name, {} as WorkloadIdentityArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.WorkloadIdentity, …)`. */
  static override isInstance(resource: unknown): resource is WorkloadIdentity {
    return isOfType(resource, "WorkloadIdentity");
  }
}

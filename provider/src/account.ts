import * as pulumi from "@pulumi/pulumi";
import { ACCOUNT_API_KEY, ACCOUNT_BASE_URL } from "./settings";

export interface AccountArgs {
  /** Where the server is, for example `https://tunnels.example.com`. Default: as for programs without an account. */
  baseUrl?: pulumi.Input<string>;

  /** The API key; kept as a secret. Default: as for programs without an account. */
  apiKey?: pulumi.Input<string>;
}

/**
 * A server and the key to it, for programs that use more than one, or that get the key from elsewhere.
 * Pass it to resources as `provider`. Changing the key changes no resource.
 *
 * @example
 * ```ts
 * const prod = new tunnels.Account("prod", { baseUrl: "https://tunnels.example.com", apiKey: config.requireSecret("prodKey") });
 * new tunnels.IpPolicy("office", {}, { provider: prod });
 * ```
 */
export class Account extends pulumi.ProviderResource {
  constructor(name: string, args: AccountArgs = {}, options?: pulumi.ResourceOptions) {
    const { baseUrl, apiKey } = args;
    super(
      "pulumi-nodejs",
      name,
      { [ACCOUNT_BASE_URL]: baseUrl, [ACCOUNT_API_KEY]: apiKey === undefined ? undefined : pulumi.secret(apiKey) },
      options,
    );
  }
}

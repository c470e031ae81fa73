import * as pulumi from "@pulumi/pulumi";
import {
  ACCOUNT_API_KEY,
  ACCOUNT_BASE_URL,
  ACCOUNT_PROJECT,
  ACCOUNT_VALIDATE_ON_SERVER,
} from "../operation/accountSettings";
import { tokenOf } from "./typeToken";

export interface AccountArgs {
  /**
   * The server's address, for example `https://tunnels.example.com`. Default: `TUNNELPLANE_BASE_URL`, then
   * `http://127.0.0.1:4040`.
   */
  baseUrl?: pulumi.Input<string>;

  /** The API key; kept as a secret. Default: `TUNNELPLANE_API_KEY`. */
  apiKey?: pulumi.Input<string>;

  /**
   * The name of the project in which its resources are. Default: `TUNNELPLANE_PROJECT`, then the project of
   * the API key.
   */
  project?: pulumi.Input<string>;

  /**
   * Whether previews send each creation and each update to the server as a dry run. That finds mistakes that
   * only the server can see: a hostport that is taken, a reference to a missing object. Default:
   * `TUNNELPLANE_VALIDATE_ON_SERVER`, then false.
   */
  validateOnServer?: pulumi.Input<boolean>;
}

/**
 * A server, its API key and a project, for programs that use several of them or read the key from another
 * place. Pass it to resources as `provider`. Changing the key changes no resource. See
 * docs/how-to/accounts.md.
 *
 * @example
 * ```ts
 * const prod = new tunnels.Account("prod", {
 *   baseUrl: "https://tunnels.example.com",
 *   apiKey: config.requireSecret("prodKey"),
 * });
 * new tunnels.IpPolicy("office", {}, { provider: prod });
 * ```
 */
export class Account extends pulumi.ProviderResource {
  constructor(name: string, args: AccountArgs = {}, options?: pulumi.ResourceOptions) {
    const { baseUrl, apiKey, project, validateOnServer } = args;
    super(
      "pulumi-nodejs",
      name,
      {
        [ACCOUNT_BASE_URL]: baseUrl,
        [ACCOUNT_API_KEY]: apiKey === undefined ? undefined : pulumi.secret(apiKey),
        [ACCOUNT_PROJECT]: project,
        [ACCOUNT_VALIDATE_ON_SERVER]:
          validateOnServer === undefined ? undefined : pulumi.output(validateOnServer).apply(String),
      },
      options,
    );
  }

  /** Whether something is such an account, or a `Provider` of the native package. */
  static override isInstance(resource: unknown): resource is Account {
    return ["pulumi-nodejs", "tunnelplane"].some((name) => tokenOf(resource) === `pulumi:providers:${name}`);
  }
}

// Generated from the contract by `npm run generate`; a change belongs in provider/src/core/components.ts.
import type * as pulumi from "@pulumi/pulumi";
import { Component, isOfType } from "../host/component";
import type { HttpsEdgeRouteOidcModule } from "./httpsEdgeRoute";
import { Guarantee } from "./guarantee";
import { HttpsEdge } from "./httpsEdge";
import { HttpsEdgeRoute } from "./httpsEdgeRoute";
import { IpPolicy } from "./ipPolicy";
import { IpPolicyRule } from "./ipPolicyRule";
import { TunnelCredential } from "./tunnelCredential";
import { TunnelGroupBackend } from "./tunnelGroupBackend";

const CHILDREN = { Guarantee, HttpsEdge, HttpsEdgeRoute, IpPolicy, IpPolicyRule, TunnelCredential, TunnelGroupBackend };

/** The arguments of Tunnel. */
export interface TunnelArgs {
  /** Where it is served, each `<host>:<port>`. No two edges may serve the same one. */
  hostports: pulumi.Input<pulumi.Input<string>[]>;

  /** Agents bind with the label `tunnel` of this value, and the credential admits only that. Default: the name of the resource. Two of the same project need different ones. */
  label?: string;

  /** The networks whose callers are let in, in CIDR notation: a rule of the IP policy for each. Empty: nobody is. Known before the run, because the rules are named by them. */
  networks: string[];
}

/**
 * A tunnel that some networks reach: a tunnel credential, a backend of the tunnels that agents start with it, an HTTPS edge, and a route for all paths with an IP policy.
 *
 * @example
 * ```ts
 * const one = new tunnels.Tunnel("one", {
 *   "hostports": [
 *     "app.example.com:443"
 *   ],
 *   "networks": [
 *     "192.0.2.0/24"
 *   ]
 * });
 * ```
 */
export class Tunnel extends Component {
  /** The authtoken with which agents start tunnels here. Secret. */
  declare readonly authtoken: pulumi.Output<string>;

  /** The id of the tunnel credential. */
  declare readonly credentialId: pulumi.Output<string>;

  /** The id of the backend: the tunnels with the label. */
  declare readonly backendId: pulumi.Output<string>;

  /** The id of the HTTPS edge. */
  declare readonly edgeId: pulumi.Output<string>;

  /** The id of the route, which takes all paths. */
  declare readonly routeId: pulumi.Output<string>;

  /** The id of the IP policy. */
  declare readonly ipPolicyId: pulumi.Output<string>;

  /** @param args the declared properties; see {@link TunnelArgs} */
  constructor(name: string, args: TunnelArgs, options?: pulumi.ComponentResourceOptions) {
    super("Tunnel", name, args, options, CHILDREN);
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.Tunnel, …)`. */
  static override isInstance(resource: unknown): resource is Tunnel {
    return isOfType(resource, "Tunnel");
  }
}

/** The arguments of ProtectedSite. */
export interface ProtectedSiteArgs {
  /** Where it is served, each `<host>:<port>`. No two edges may serve the same one. */
  hostports: pulumi.Input<pulumi.Input<string>[]>;

  /** Agents bind with the label `tunnel` of this value, and the credential admits only that. Default: the name of the resource. Two of the same project need different ones. */
  label?: string;

  /** How users sign in: the `oidc` module of the route. */
  oidc: pulumi.Input<HttpsEdgeRouteOidcModule>;
}

/**
 * A site that nobody reaches without signing in: a tunnel credential, a backend of the tunnels that agents start with it, an HTTPS edge, a route for all paths with a sign-in, and a guarantee, which refuses each change that would open it.
 *
 * @example
 * ```ts
 * const one = new tunnels.ProtectedSite("one", {
 *   "hostports": [
 *     "wiki.example.com:443"
 *   ],
 *   "oidc": {
 *     "issuer": "https://id.example.com",
 *     "clientId": "wiki",
 *     "clientSecret": "the-client-secret"
 *   }
 * });
 * ```
 */
export class ProtectedSite extends Component {
  /** The authtoken with which agents start tunnels here. Secret. */
  declare readonly authtoken: pulumi.Output<string>;

  /** The id of the tunnel credential. */
  declare readonly credentialId: pulumi.Output<string>;

  /** The id of the backend: the tunnels with the label. */
  declare readonly backendId: pulumi.Output<string>;

  /** The id of the HTTPS edge. */
  declare readonly edgeId: pulumi.Output<string>;

  /** The id of the route, which takes all paths. */
  declare readonly routeId: pulumi.Output<string>;

  /** The id of the guarantee. */
  declare readonly guaranteeId: pulumi.Output<string>;

  /** @param args the declared properties; see {@link ProtectedSiteArgs} */
  constructor(name: string, args: ProtectedSiteArgs, options?: pulumi.ComponentResourceOptions) {
    super("ProtectedSite", name, args, options, CHILDREN);
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.ProtectedSite, …)`. */
  static override isInstance(resource: unknown): resource is ProtectedSite {
    return isOfType(resource, "ProtectedSite");
  }
}

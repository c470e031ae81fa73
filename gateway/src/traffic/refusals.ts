import { BlockList, isIPv6 } from "node:net";
import type { HttpsEdgeRoutes } from "@tunnelplane/sdk";
import { plainAddress } from "@tunnelplane/sdk/contract";
import type { Objects } from "../envoy/model";
import { rulesOf } from "../envoy/networks";
import type { Refusing } from "./series";

/** What Envoy says of a request that it answered itself. */
interface Answered {
  readonly status: number;
  readonly details: string;
  /** The caller's address. */
  readonly from: string;
}

/** Finds the modules that refused requests, while the objects are as they are. */
export class Refusals {
  /** The networks of a route: made once, because strangers choose how often they are refused. */
  readonly #networks = new WeakMap<
    HttpsEdgeRoutes,
    { readonly allow: BlockList; readonly deny: BlockList }
  >();

  constructor(private readonly objects: Objects) {}

  /** The module that refused a request; undefined if none did. */
  by({ status, details, from }: Answered, route: HttpsEdgeRoutes | undefined): Refusing | undefined {
    if (status < 400) return undefined;
    if (details.startsWith("jwt_authn_access_denied")) return "jwt_validation";
    if (details.startsWith("oauth")) return "oidc";
    if (details.startsWith("ext_authz")) return "webhook_verification";
    if (/rate_?limited/.test(details)) return "policies";
    if (details === "direct_response" && route?.policies?.enabled && !isResponse(route)) return "policies";
    return details.startsWith("rbac_access_denied") ? this.#deniedBy(from, route) : undefined;
  }

  /** One filter decides by address, user agent and policies; the address is looked at again. */
  #deniedBy(from: string, route: HttpsEdgeRoutes | undefined): Refusing | undefined {
    if (route?.ip_restriction?.enabled && !this.#isAdmitted(from, route)) return "ip_restriction";
    if (route?.user_agent_filter?.enabled) return "user_agent_filter";
    if (route?.policies?.enabled) return "policies";
    if (route?.jwt_validation?.enabled) return "jwt_validation";
    return route?.oidc?.enabled ? "oidc" : undefined;
  }

  #isAdmitted(from: string, route: HttpsEdgeRoutes): boolean {
    const { allow, deny } = this.#networksOf(route);
    const address = plainAddress(from);
    const family = familyOf(address);
    return allow.check(address, family) && !deny.check(address, family);
  }

  #networksOf(route: HttpsEdgeRoutes) {
    const known = this.#networks.get(route);
    if (known) return known;
    const networks = { allow: new BlockList(), deny: new BlockList() };
    for (const { action, cidr } of rulesOf(route.ip_restriction, this.objects) ?? []) {
      const [address = "", length = ""] = plainAddress(cidr).split("/");
      networks[action === "allow" ? "allow" : "deny"].addSubnet(address, Number(length), familyOf(address));
    }
    this.#networks.set(route, networks);
    return networks;
  }
}

const isResponse = ({ backend }: HttpsEdgeRoutes): boolean =>
  backend?.backend?.id.startsWith("bkdhr_") ?? false;

const familyOf = (address: string): "ipv4" | "ipv6" => (isIPv6(address) ? "ipv6" : "ipv4");

/** What Envoy says of a connection that it closed. */
interface Closed {
  readonly chain: string;
  readonly failure: string;
  readonly closed: string;
}

/** The module that refused a connection; undefined if none did. */
export function connectionRefusedBy({ chain, failure, closed }: Closed): Refusing | undefined {
  if (/CERTIFICATE/.test(failure)) return "mutual_tls";
  if (/UNSUPPORTED_PROTOCOL|NO_SHARED_CIPHER/.test(failure)) return "tls_termination";
  if (chain.startsWith("refused")) return "ip_restriction";
  return /rate_?limit/.test(closed) ? "policies" : undefined;
}

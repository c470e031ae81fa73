import { BlockList, isIPv6 } from "node:net";
import type { HttpsEdgeRoutes } from "@tunnelplane/sdk";
import { plainAddress } from "@tunnelplane/sdk/contract";
import { holdsAddress } from "@tunnelplane/sdk/rules";
import type { Objects } from "../envoy/model";
import { everywhereIn, rulesOf } from "../envoy/networks";
import { STEPS } from "../envoy/tokenRefusals";
import type { Refusing } from "./series";

/** What Envoy says of a request that it answered itself. */
interface Answered {
  readonly status: number;
  readonly details: string;
  /** The caller's address. */
  readonly from: string;
  /** The last step of the check of its token. */
  readonly token: string;
  /** Whether its user lacks a claim: `true`. */
  readonly claims: string;
}

/** What Envoy says of a connection that it closed. */
interface Closed {
  readonly chain: string;
  readonly failure: string;
  readonly closed: string;
  readonly from: string;
}

/** What may have a restriction of its own. */
type Restricted = { readonly id?: string; readonly ip_restriction?: HttpsEdgeRoutes["ip_restriction"] };
type Networks = { readonly allow: BlockList; readonly deny: BlockList };

const [TOKEN_READ, TOKEN_GOOD] = STEPS;
const BY_BACKEND = "via_upstream";

/** Finds the modules that refused requests and connections, while the objects are as they are. */
export class Refusals {
  /** Made once for each holder, because strangers choose how often they are refused. */
  readonly #networks = new WeakMap<Restricted, Networks>();

  constructor(private readonly objects: Objects) {}

  /** The module that refused a request; undefined if none did. */
  by({ status, details, ...answered }: Answered, route: HttpsEdgeRoutes | undefined): Refusing | undefined {
    if (status < 400 || details === BY_BACKEND) return undefined;
    if (details.startsWith("jwt_authn_access_denied")) return "jwt_validation";
    if (details.startsWith("ext_authz")) return "webhook_verification";
    if (/rate_?limited/.test(details)) return "policies";
    if (details === "direct_response")
      return route?.policies?.enabled && !isResponse(route) ? "policies" : undefined;
    if (details.startsWith("rbac_access_denied")) return this.#deniedBy(answered, route);
    return status === 401 && route?.oidc?.enabled ? "oidc" : undefined;
  }

  /** The module that refused a connection; undefined if none did. */
  byConnection({ chain, failure, closed, from }: Closed, edge: Restricted = {}): Refusing | undefined {
    if (/CERTIFICATE/.test(failure)) return "mutual_tls";
    if (/UNSUPPORTED_PROTOCOL|NO_SHARED_CIPHER/.test(failure)) return "tls_termination";
    if (chain.startsWith("refused")) return this.#isAdmitted(from, edge) ? "policies" : "ip_restriction";
    return /rate_?limit/.test(closed) ? "policies" : undefined;
  }

  /** One filter decides by address and user agent; the address is looked at again. */
  #deniedBy(
    { from, token, claims }: Omit<Answered, "status" | "details">,
    route: HttpsEdgeRoutes | undefined,
  ): Refusing | undefined {
    if (claims === "true") return "oidc";
    if (token === TOKEN_READ || token === TOKEN_GOOD) return "jwt_validation";
    if (!this.#isAdmitted(from, route)) return "ip_restriction";
    return route?.user_agent_filter?.enabled ? "user_agent_filter" : undefined;
  }

  #isAdmitted(from: string, holder: Restricted = {}): boolean {
    const address = plainAddress(from);
    if (!holdsAddress(everywhereIn(this.objects), address)) return false;
    if (!holder.ip_restriction?.enabled) return true;
    const { allow, deny } = this.#networksOf(holder);
    const family = familyOf(address);
    return allow.check(address, family) && !deny.check(address, family);
  }

  #networksOf(holder: Restricted): Networks {
    const known = this.#networks.get(holder);
    if (known) return known;
    const networks = { allow: new BlockList(), deny: new BlockList() };
    for (const { action, cidr } of rulesOf(holder.ip_restriction ?? null, this.objects) ?? []) {
      const [address = "", length = ""] = plainAddress(cidr).split("/");
      networks[action === "allow" ? "allow" : "deny"].addSubnet(address, Number(length), familyOf(address));
    }
    this.#networks.set(holder, networks);
    return networks;
  }
}

const isResponse = ({ backend }: HttpsEdgeRoutes): boolean =>
  backend?.backend?.id.startsWith("bkdhr_") ?? false;

const familyOf = (address: string): "ipv4" | "ipv6" => (isIPv6(address) ? "ipv6" : "ipv4");

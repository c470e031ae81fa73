import { isIP } from "node:net";
import { type Address, addressOfUrl, addressText, readAddress } from "../envoy/address";
import { issuersOf, keySetsOf } from "../envoy/issuers";
import type { Issuer, Listen, Objects, Upstream, Upstreams } from "../envoy/model";
import type { Keep } from "../state/files";
import { type Network, networkOf } from "./addresses";
import { Names } from "./resolvedNames";
import { type OwnListener, UpstreamRules } from "./rules";

interface Options {
  /** Networks in CIDR notation. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly own: Own;
  /** Where the last addresses of names are kept. */
  readonly file: string;
  readonly keep: Keep;
  readonly warn: (message: string) => void;
}

/** Where the gateway and the server listen. */
interface Own {
  /** The server's URL. */
  readonly url: string;
  readonly listen: readonly Listen[];
  readonly metrics?: Address;
  readonly sshListen?: Address;
}

type Judged = Exclude<Upstream, { readonly standIn: string }>;

/** Resolves the names of upstreams, and decides which addresses Envoy and the gateway may connect to. */
export class UpstreamWatch {
  readonly #names: Names;
  readonly #allowed: readonly Network[];
  readonly #denied: readonly Network[];
  readonly #server: Address | undefined;
  #tcpListen: readonly Listen[] = [];

  constructor(private readonly options: Options) {
    this.#names = new Names(options);
    this.#allowed = options.allow.map(networkOf);
    this.#denied = options.deny.map(networkOf);
    this.#server = URL.canParse(options.own.url) ? addressOfUrl(options.own.url) : undefined;
  }

  /** Keeps names up to date from now on. */
  follow(): void {
    this.#names.follow();
  }

  /** Whether a name has other addresses than in the last view. */
  get isChanged(): boolean {
    return this.#names.isChanged;
  }

  /** Resolves the names of the upstreams of these objects. */
  want(objects: Objects, issuers: ReadonlyMap<string, Issuer>, longestMs: number): Promise<void> {
    const named = issuersOf(objects);
    const urls = [
      ...keySetsOf(objects, issuers),
      ...named,
      ...named.flatMap((one) => issuers.get(one)?.tokenEndpoint ?? []),
    ];
    const hosts = [
      this.#server?.host ?? [],
      ...objects.static_backend.map(({ address }) => readAddress(address).host),
      ...urls.filter((url) => URL.canParse(url)).map((url) => addressOfUrl(url).host),
    ].flat();
    return this.#names.want(new Set(hosts.filter((host) => isIP(host) === 0)), longestMs);
  }

  /**
   * The addresses that are known and allowed now.
   * @param tcpListen where TCP edges are served: one that goes to itself would never end
   */
  view(tcpListen: readonly Listen[] = []): Upstreams {
    this.#names.isChanged = false;
    this.#tcpListen = tcpListen;
    const rules = this.#rules();
    const seen = new Map<string, Judged>();
    return {
      find: (host, port) => {
        const key = `${host}:${port}`;
        const known = seen.get(key) ?? this.#judge(rules, { host, port }, this.#addressesOf(host));
        seen.set(key, known);
        return known;
      },
    };
  }

  /** The addresses of a URL's host. @throws saying why the gateway may not or cannot connect there */
  async reach(url: string): Promise<readonly string[]> {
    const address = addressOfUrl(url);
    const { host } = address;
    const found = this.#judge(
      this.#rules(),
      address,
      isIP(host) === 0 ? await this.#names.resolved(host) : [host],
    );
    if ("refused" in found) throw new Error(`it ${found.refused}`);
    if (found.addresses.length === 0) throw new Error(`the name ${host} cannot be resolved`);
    return found.addresses;
  }

  #judge(rules: UpstreamRules, address: Address, ips: readonly string[] | undefined): Judged {
    const { host, port } = address;
    const at = addressText(address);
    if (!ips) return { refused: `goes to ${at}, and this gateway resolves no more names: give its address` };
    for (const ip of ips) {
      const refusal = rules.refusal(ip, port);
      if (refusal !== undefined)
        return { refused: `goes to ${at}${isIP(host) === 0 ? `, now at ${ip}` : ""}, which ${refusal}` };
    }
    return { addresses: ips };
  }

  #addressesOf = (host: string): readonly string[] | undefined =>
    isIP(host) === 0 ? this.#names.addressesOf(host) : [host];

  #rules = () => new UpstreamRules(this.#allowed, this.#denied, this.#ownListeners());

  #ownListeners(): readonly OwnListener[] {
    const { listen, metrics, sshListen } = this.options.own;
    const of = (what: string, own: Address | undefined) =>
      own ? [{ what, addresses: own.host === "localhost" ? LOOPS : [own.host], port: own.port }] : [];
    const server = this.#server && {
      what: "where the server is (--url)",
      addresses: this.#addressesOf(this.#server.host) ?? [],
      port: this.#server.port,
      isElsewhere: true,
    };
    return [
      ...listen.flatMap(({ address, bindPort }) =>
        of("where this gateway itself listens (--listen)", { host: address, port: bindPort }),
      ),
      ...this.#tcpListen.flatMap(({ address, bindPort }) =>
        of("where this gateway serves a TCP edge (--tcp-listen)", { host: address, port: bindPort }),
      ),
      ...of("where this gateway's metrics are (--metrics)", metrics),
      ...of("where this gateway's agents come in (--ssh-listen)", sshListen),
      ...(server ? [server] : []),
    ];
  }
}

/** The addresses of `localhost`, the only name that the flags for the gateway's own listeners take. */
const LOOPS = ["127.0.0.1", "::1"];

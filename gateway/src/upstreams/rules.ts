import { type IpAddress, isIn, meaningsOf, type Network, networkOf, ownAddresses } from "./addresses";

/** An address at which the gateway or the server listens: backends may not be there. */
export interface OwnListener {
  /** For people: after "is". */
  readonly what: string;
  /** Where it listens; the unspecified address stands for all of this machine. */
  readonly addresses: readonly string[];
  readonly port: number;
  /** Whether it may listen at other addresses of a machine, too. */
  readonly isElsewhere?: boolean;
}

/** The networks that are denied unless a flag allows them. */
const DENIED = [
  ["169.254.0.0/16", "is link-local, where clouds keep secrets of the machine"],
  ["fe80::/10", "is link-local"],
  ["fd00:ec2::/32", "is where Amazon's cloud keeps secrets of the machine"],
  ["fd20:ce::254/128", "is where Google's cloud keeps secrets of the machine"],
  ["100.100.100.200/32", "is where Alibaba's cloud keeps secrets of the machine"],
  ["168.63.129.16/32", "is where Azure keeps secrets of the machine"],
  ["192.0.0.192/32", "is where Oracle's cloud keeps secrets of the machine"],
].map(([cidr, why]) => ({ network: networkOf(String(cidr)), why }));

/** Which addresses upstreams may have. */
export class UpstreamRules {
  readonly #machine = ownAddresses();

  constructor(
    private readonly allowed: readonly Network[],
    private readonly denied: readonly Network[],
    private readonly own: readonly OwnListener[],
  ) {}

  /**
   * Why an address is refused, in words that follow the address, and what to do; undefined if it is allowed.
   */
  refusal(text: string, port: number): string | undefined {
    for (const address of meaningsOf(text)) {
      const why = this.#refusalOf(address, port);
      if (why !== undefined)
        return `${why} --allow-upstreams ${address}/${address.kind() === "ipv4" ? 32 : 128}`;
    }
    return undefined;
  }

  /** Flags come before the denials without flags; among flags, the smallest network, and then denial. */
  #refusalOf(address: IpAddress, port: number): string | undefined {
    const [allowed, denied] = [this.allowed, this.denied].map((networks) =>
      networks
        .filter((network) => isIn(address, network))
        .reduce<Network | undefined>((a, b) => (a && a.bits >= b.bits ? a : b), undefined),
    );
    if (denied && denied.bits >= (allowed?.bits ?? 0))
      return `is in ${denied.cidr} of --deny-upstreams: take that out, or add`;
    if (allowed) return undefined;
    const why =
      DENIED.find(({ network }) => isIn(address, network))?.why ??
      this.own
        .filter((one) => one.port === port && this.#isAt(one, address))
        .map(({ what }) => `is ${what}`)[0];
    return why && `${why}: if it shall be reached from outside, add`;
  }

  #isAt({ addresses, isElsewhere = false }: OwnListener, address: IpAddress): boolean {
    const text = address.toNormalizedString();
    return addresses.some((at) => {
      if (at === "0.0.0.0") return address.kind() === "ipv4" && this.#isHere(address);
      const meanings = meaningsOf(at);
      if (at.includes(":") && meanings[0]?.range() === "unspecified") return this.#isHere(address);
      return meanings.some(
        (one) =>
          one.toNormalizedString() === text || (isElsewhere && this.#isHere(one) && this.#isHere(address)),
      );
    });
  }

  #isHere = (address: IpAddress): boolean =>
    address.range() === "loopback" || this.#machine.has(address.toNormalizedString());
}

import { createServer } from "node:net";
import { own } from "@tunnelplane/sdk/contract";
import { addressText } from "../envoy/address";
import type { Listen } from "../envoy/model";

/** The addresses that can be listened on. */
export interface Usable {
  readonly listen: readonly Listen[];
  readonly tcpListen: readonly Listen[];
}

/** Finds the ports that Envoy cannot listen on, so that it serves the hostports of all others. */
export class Ports {
  /** Addresses, as `ADDRESS:PORT`. */
  #lacking = new Set<string>();

  /** @param listening what Envoy listens on, as `ADDRESS:PORT`; undefined while it starts */
  constructor(
    private readonly all: readonly Listen[],
    private readonly listening: () => Promise<readonly string[] | undefined>,
    private readonly warn: (message: string) => void,
  ) {}

  /**
   * The addresses that Envoy can listen on; warns of the others.
   * @param tcp those of TCP edges
   */
  async usable(tcp: readonly Listen[]): Promise<Usable> {
    const listening = await this.listening();
    // A try now could take the port from an Envoy that is starting.
    if (!listening) return this.#without(tcp);
    const held = new Set(listening);
    this.#lacking = new Set();
    for (const one of this.all) await this.#look(one, held, CURES.names);
    const overTls = new Map(this.all.map((listen) => [listen.bindPort, listen]));
    for (const one of tcp) {
      const rival = overTls.get(one.bindPort);
      if (!rival) {
        await this.#look(one, held, CURES.tcp);
        continue;
      }
      // Envoy would refuse two listeners at one address, whatever is served there.
      this.#lacking.add(boundAt(one));
      this.warn(
        `port ${one.port} is not served for TCP edges, because --listen serves hostports over TLS at ${boundAt(rival)}: use another port`,
      );
    }
    return this.#without(tcp);
  }

  async #look(one: Listen, held: ReadonlySet<string>, cures: Cures): Promise<void> {
    const text = boundAt(one);
    // Envoy does not listen on a port without edges, so another program may take it. It writes zones in
    // another way.
    if (held.has(text) || one.address.includes("%")) return;
    const fault = await faultOf(one, cures);
    if (fault === undefined) return;
    this.#lacking.add(text);
    this.warn(
      `${text} cannot be listened on, so hostports of port ${one.port} are not served there: ${fault}`,
    );
  }

  #without(tcp: readonly Listen[]): Usable {
    const isUsable = (one: Listen) => !this.#lacking.has(boundAt(one));
    return { listen: this.all.filter(isUsable), tcpListen: tcp.filter(isUsable) };
  }

  /** Whether a port could not be listened on; it may be free now. */
  get isLacking(): boolean {
    return this.#lacking.size > 0;
  }
}

/** The address at which a port is served, as `ADDRESS:PORT`. */
export const boundAt = ({ address, bindPort }: Listen): string =>
  addressText({ host: address, port: bindPort });

function faultOf({ address, bindPort }: Listen, cures: Cures): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) =>
      resolve(own(cures, error.code ?? "") ?? error.message),
    );
    server.listen({ host: address, port: bindPort, exclusive: true }, () =>
      server.close(() => resolve(undefined)),
    );
  });
}

type Cures = Readonly<Record<string, string>>;

const CURES = {
  names: {
    EADDRINUSE: "another process listens there: stop it, or choose another with --listen",
    EACCES:
      "this user may not: allow it (CAP_NET_BIND_SERVICE), or choose a port above 1023, as in --listen 443=0.0.0.0:8443",
    EADDRNOTAVAIL: "this machine has no such address: choose another with --listen",
  },
  tcp: {
    EADDRINUSE: "another process listens there: stop it, or give the edge another port",
    EACCES: "this user may not: allow it (CAP_NET_BIND_SERVICE), or give the edge a port above 1023",
    EADDRNOTAVAIL: "this machine has no such address: choose another with --tcp-listen",
  },
} as const satisfies Readonly<Record<string, Cures>>;

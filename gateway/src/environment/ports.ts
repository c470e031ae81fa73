import { createServer } from "node:net";
import { addressText } from "../envoy/address";
import type { Listen } from "../envoy/model";

/** The addresses that can be listened on. */
export interface Usable {
  readonly listen: readonly Listen[];
  readonly tcpListen: readonly Listen[];
}

/** Finds the ports that Envoy cannot listen on, so that it serves the hostports of all others. */
export class Ports {
  #lacking: readonly Listen[] = [];
  #tcp: readonly Listen[] = [];

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
    this.#tcp = tcp;
    const listening = await this.listening();
    // A try now could take the port from an Envoy that is starting.
    if (!listening) return this.#usable;
    const held = new Set(listening);
    const lacking: Listen[] = [];
    for (const one of [...this.all, ...tcp]) {
      const text = boundAt(one);
      // Envoy would refuse two listeners at one place, whatever is served there.
      const rival = tcp.includes(one) && this.all.find((other) => other.bindPort === one.bindPort);
      if (rival) {
        lacking.push(one);
        this.warn(
          `port ${one.port} is not served for TCP edges, because --listen serves hostports over TLS at ${boundAt(rival)}: use another port`,
        );
        continue;
      }
      // Envoy does not listen on a port without edges, so another program may take it. It writes zones in
      // another way.
      if (held.has(text) || one.address.includes("%")) continue;
      const fault = await faultOf(one);
      if (fault === undefined) continue;
      lacking.push(one);
      this.warn(
        `${text} cannot be listened on, so hostports of port ${one.port} are not served there: ${fault(tcp.includes(one))}`,
      );
    }
    this.#lacking = lacking;
    return this.#usable;
  }

  get #usable(): Usable {
    const isUsable = (one: Listen) => !this.#lacking.some((other) => boundAt(other) === boundAt(one));
    return { listen: this.all.filter(isUsable), tcpListen: this.#tcp.filter(isUsable) };
  }

  /** Whether a port could not be listened on; it may be free now. */
  get isLacking(): boolean {
    return this.#lacking.length > 0;
  }
}

/** The place where a port is served, as `ADDRESS:PORT`. */
export const boundAt = ({ address, bindPort }: Listen): string =>
  addressText({ host: address, port: bindPort });

/** Why nobody can listen there, in words that depend on whether it is for a TCP edge. */
function faultOf({ address, bindPort }: Listen): Promise<((isTcp: boolean) => string) | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      const cures = CURES[error.code ?? ""] ?? [error.message, error.message];
      resolve((isTcp) => cures[isTcp ? 1 : 0]);
    });
    server.listen({ host: address, port: bindPort, exclusive: true }, () =>
      server.close(() => resolve(undefined)),
    );
  });
}

/** For hostports over TLS, and for TCP edges. */
const CURES: Readonly<Record<string, readonly [string, string]>> = {
  EADDRINUSE: [
    "another process listens there: stop it, or choose another with --listen",
    "another process listens there: stop it, or give the edge another port",
  ],
  EACCES: [
    "this user may not: allow it (CAP_NET_BIND_SERVICE), or choose a port above 1023, as in --listen 443=0.0.0.0:8443",
    "this user may not: allow it (CAP_NET_BIND_SERVICE), or give the edge a port above 1023",
  ],
  EADDRNOTAVAIL: [
    "this machine has no such address: choose another with --listen",
    "this machine has no such address: choose another with --tcp-listen",
  ],
};

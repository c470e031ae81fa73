import { createServer } from "node:net";
import { addressText } from "../envoy/address";
import type { Listen } from "../envoy/model";

/** Finds the ports that Envoy cannot listen on, so that it serves the hostports of all others. */
export class Ports {
  #lacking: readonly Listen[] = [];

  /** @param listening what Envoy listens on, as `ADDRESS:PORT`; undefined while it starts */
  constructor(
    private readonly all: readonly Listen[],
    private readonly listening: () => Promise<readonly string[] | undefined>,
    private readonly warn: (message: string) => void,
  ) {}

  /** The addresses that Envoy can listen on; warns of the others. */
  async usable(): Promise<readonly Listen[]> {
    const listening = await this.listening();
    // A try now could take the port from an Envoy that is starting.
    if (!listening) return this.#usable;
    const held = new Set(listening);
    const lacking: Listen[] = [];
    for (const one of this.all) {
      const text = boundAt(one);
      // Envoy does not listen on a port without edges, so another program may take it. It writes zones in
      // another way.
      if (held.has(text) || one.address.includes("%")) continue;
      const fault = await faultOf(one);
      if (fault === undefined) continue;
      lacking.push(one);
      this.warn(
        `${text} cannot be listened on, so hostports of port ${one.port} are not served there: ${fault}`,
      );
    }
    this.#lacking = lacking;
    return this.#usable;
  }

  get #usable(): readonly Listen[] {
    return this.all.filter((one) => !this.#lacking.includes(one));
  }

  /** Whether a port could not be listened on; it may be free now. */
  get isLacking(): boolean {
    return this.#lacking.length > 0;
  }
}

/** The place where a port is served, as `ADDRESS:PORT`. */
export const boundAt = ({ address, bindPort }: Listen): string =>
  addressText({ host: address, port: bindPort });

function faultOf({ address, bindPort }: Listen): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(CURES[error.code ?? ""] ?? error.message));
    server.listen({ host: address, port: bindPort, exclusive: true }, () =>
      server.close(() => resolve(undefined)),
    );
  });
}

const CURES: Readonly<Record<string, string>> = {
  EADDRINUSE: "another process listens there: stop it, or choose another with --listen",
  EACCES:
    "this user may not: allow it (CAP_NET_BIND_SERVICE), or choose a port above 1023, as in --listen 443=0.0.0.0:8443",
  EADDRNOTAVAIL: "this machine has no such address: choose another with --listen",
};

import { OBSERVED, type Observed } from "../contract/observed/kinds";
import type { Endpoint, Tunnel, TunnelSession } from "./generated";
import type { Transport } from "./transport";

interface PageOptions {
  /** How many one request asks for, 1 to 100. Default 100. */
  readonly pageSize?: number;
  /** Only those older than the one with this id. */
  readonly beforeId?: string;
}

/** A list of what gateways see, which can only be read. */
export class ObservedCollection<T> {
  readonly #path: string;
  readonly #listKey: string;

  constructor(
    protected readonly transport: Transport,
    { path, listKey }: Observed,
  ) {
    this.#path = path;
    this.#listKey = listKey;
  }

  /** All that the caller may see, newest first; requests the next page when it is needed. */
  list({ pageSize: limit, beforeId }: PageOptions = {}): AsyncGenerator<T> {
    return this.transport.list(this.#path, this.#listKey, { limit, before_id: beforeId });
  }

  /** @throws NotFoundError if it is over, was never there, or the caller may not see it */
  async get(id: string): Promise<T> {
    return (await this.transport.request<T>("GET", this.pathOf(id))).body;
  }

  protected pathOf(id: string): string {
    return `${this.#path}/${encodeURIComponent(id)}`;
  }
}

/** The sessions of agents. */
export class TunnelSessions extends ObservedCollection<TunnelSession> {
  constructor(transport: Transport) {
    super(transport, OBSERVED.tunnel_session);
  }

  /** Ends a session, and keeps its credential out from its address for 60 s. */
  async stop(id: string): Promise<void> {
    await this.transport.request("POST", `${this.pathOf(id)}/stop`, {});
  }

  /** Hangs up on an agent, so that one under a supervisor connects again. */
  async restart(id: string): Promise<void> {
    await this.transport.request("POST", `${this.pathOf(id)}/restart`, {});
  }
}

/** The endpoints of an account. */
export const endpointsOf = (transport: Transport) =>
  new ObservedCollection<Endpoint>(transport, OBSERVED.endpoint);

/** The tunnels of an account. */
export const tunnelsOf = (transport: Transport) => new ObservedCollection<Tunnel>(transport, OBSERVED.tunnel);

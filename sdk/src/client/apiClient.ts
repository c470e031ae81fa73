import { ChangeSets } from "./changeSets";
import { Deliveries } from "./deliveries";
import { Events } from "./events";
import { Exposures } from "./exposures";
import { Gateways } from "./gateways";
import type { AuditHead, Caller, Endpoint, SearchResults, Tunnel } from "./generated";
import { endpointsOf, type ObservedCollection, TunnelSessions, tunnelsOf } from "./sessions";
import { queryText, Transport, type TransportOptions } from "./transport";

export interface SearchOptions {
  /** How many results at most, 1 to 100. Default 20. */
  readonly limit?: number;
  /** Whether objects of shared projects are searched too. Default: false. */
  readonly shared?: boolean;
}

/**
 * Finds the objects that have every word of a text anywhere in their own texts, in upper or lower case.
 * @param text 1 to 128 characters
 */
export async function searchFor(
  transport: Transport,
  text: string,
  { limit, shared }: SearchOptions = {},
): Promise<SearchResults> {
  const query = queryText({ q: text, limit, shared: shared || undefined });
  return (await transport.request<SearchResults>("GET", `/search?${query}`)).body;
}

/** Asks the server who owns the transport's API key. */
export const callerOf = async (transport: Transport): Promise<Caller> =>
  (await transport.request<Caller>("GET", "/caller")).body;

/** The audit log, for admins. */
export class AuditLog {
  constructor(private readonly transport: Transport) {}

  /** Its head, for `tunnelplane audit verify --expect`. */
  async head(): Promise<AuditHead> {
    return (await this.transport.request<AuditHead>("GET", "/audit_head")).body;
  }
}

/** The base of the client; the generated class adds a member for each kind of object. */
export class ApiClient {
  readonly transport: Transport;
  /** The deliveries to event destinations. */
  readonly deliveries: Deliveries;
  /** The audit log, for admins. */
  readonly auditLog: AuditLog;

  /** The exposure of each address: who can reach it, and where it leads. */
  readonly exposure: Exposures;
  /** The changes of objects, for admins and gateways. */
  readonly events: Events;
  /** The gateways of the account, and what they ask and report. */
  readonly gateways: Gateways;
  /** The hostports that gateways serve. */
  readonly endpoints: ObservedCollection<Endpoint>;
  /** The binds of agents. */
  readonly tunnels: ObservedCollection<Tunnel>;
  /** The agents that are connected and have bound something. */
  readonly tunnelSessions: TunnelSessions;

  /** Many objects that are brought to a declared state together. */
  readonly changesets: ChangeSets;

  constructor(options: TransportOptions) {
    this.transport = new Transport(options);
    this.deliveries = new Deliveries(this.transport);
    this.auditLog = new AuditLog(this.transport);
    this.exposure = new Exposures(this.transport);
    this.events = new Events(this.transport);
    this.gateways = new Gateways(this.transport);
    this.endpoints = endpointsOf(this.transport);
    this.tunnels = tunnelsOf(this.transport);
    this.tunnelSessions = new TunnelSessions(this.transport);
    this.changesets = new ChangeSets(this.transport);
  }

  /** The owner of the API key, and its role. */
  caller(): Promise<Caller> {
    return callerOf(this.transport);
  }

  /**
   * Finds the objects that have every word of a text anywhere in their own texts, the best first.
   * @param text 1 to 128 characters
   */
  search(text: string, options?: SearchOptions): Promise<SearchResults> {
    return searchFor(this.transport, text, options);
  }

  /** Closes the open connections. */
  close(): Promise<void> {
    return this.transport.close();
  }
}

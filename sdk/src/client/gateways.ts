import type { WithName } from "./collection";
import type { Ref } from "./ref";
import type { Paged, Transport } from "./transport";

/** The status of an edge at a gateway; `resource_name` is the edge's name, in answers alone. */
export interface GatewayEdge extends WithName {
  readonly id: string;
  /** `rejected` if it is not served, or not completely. */
  readonly state: "applied" | "rejected";
  /** Why it is rejected. */
  readonly reason: string;
}

/** A connected agent, with its binds; `resource_name` is its credential's name, in answers alone. */
export interface GatewayAgent extends WithName {
  /** The id of its credential. */
  readonly credential: string;
  /** `bind:<host>:<port>`, or `bind:<key>=<value>` for each label. */
  readonly bind: readonly string[];
  readonly address: string;
  /** RFC 3339. */
  readonly since: string;
  /** The id that the gateway gave its session. */
  readonly session?: string;
  /** The greeting of its SSH client. */
  readonly client?: string;
  /** Where it forwards to; SSH does not say it. */
  readonly forwards_to?: string;
  /** The rules of each bind, in reports alone. */
  readonly binds?: readonly (readonly string[])[];
}

/** A gateway's report about itself. */
export interface GatewayReport {
  readonly version: string;
  readonly envoy_version: string;
  /** The sequence of the last event that it has followed. */
  readonly sequence: number;
  /** The ports that it listens for, as hostports name them; absent where it does not report them. */
  readonly ports?: readonly number[];
  readonly edges: readonly GatewayEdge[];
  readonly agents: readonly GatewayAgent[];
}

/** A gateway in lists. */
export interface Gateway extends Omit<GatewayReport, "sequence" | "edges" | "agents"> {
  /** Of the last event that it has followed; only for gateways and admins of the account. */
  readonly sequence?: number;
  readonly name: string;
  readonly uri: string;
  /** When it last reported (RFC 3339). */
  readonly last_seen: string;
  /** How many edges it serves. */
  readonly applied: number;
  /** How many edges it does not serve, or not completely. */
  readonly rejected: number;
}

/** A gateway with its complete report. */
export interface GatewayStatus extends Gateway, Pick<GatewayReport, "edges" | "agents"> {
  /** How many agents are left out, because their credentials belong to others. */
  readonly other_agents: number;
}

/** The authtoken or public key of an agent. */
export type AgentProof = { readonly token: string } | { readonly public_key: string };

/** The answer to an agent's request to bind. */
export interface BindAuthorization {
  readonly allowed: boolean;
  /** The credential of the token or key; null if there is none. */
  readonly credential: Ref | null;
  readonly owner_id: string | null;
  /** Ids of the projects whose hostports and labels it may serve: its own, and shared ones. */
  readonly project_ids: readonly string[];
  readonly acl: readonly string[];
  /** When the credential ends; null for never. */
  readonly expires_at: string | null;
  /** Why it is not allowed; empty if it is. */
  readonly reason: string;
}

/**
 * The gateways of the account. `report` and `authorize` need the API key of a gateway or an admin, `delete`
 * of an admin.
 */
export class Gateways {
  constructor(private readonly transport: Transport) {}

  /** The gateways that reported in the last 7 days, by name; requests the next page when it is needed. */
  async *list(): AsyncGenerator<Gateway> {
    for await (const page of this.transport.pages<GatewayPage>("/gateways", new URLSearchParams()))
      yield* page.gateways;
  }

  async get(name: string): Promise<GatewayStatus> {
    return (await this.transport.request<GatewayStatus>("GET", `/gateways/${encodeURIComponent(name)}`)).body;
  }

  /** Removes a gateway from the list, for admins. One that still reports comes back with its next report. */
  async delete(name: string): Promise<void> {
    await this.transport.request("DELETE", `/gateways/${encodeURIComponent(name)}`);
  }

  /** Replaces the report of a gateway. */
  async report(name: string, report: GatewayReport): Promise<void> {
    await this.transport.request("PUT", `/gateways/${encodeURIComponent(name)}/status`, report);
  }

  /**
   * Asks whether an agent may bind something.
   * @param bind `bind:<host>:<port>`, or `bind:<key>=<value>` for each label; if empty, only asks for the
   *   credential
   * @param address of an agent that logs in or binds: one whose session was stopped is kept out for a while
   */
  async authorize(
    proof: AgentProof,
    bind: readonly string[] = [],
    address?: string,
  ): Promise<BindAuthorization> {
    const asked = { ...proof, bind, address };
    return (await this.transport.request<BindAuthorization>("POST", "/bind_authorizations", asked)).body;
  }
}

interface GatewayPage extends Paged {
  readonly gateways: Gateway[];
}

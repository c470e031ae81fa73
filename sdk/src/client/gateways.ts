import type { BindAuthorization, Gateway, GatewayReport, GatewayStatus } from "./generated";
import type { Transport } from "./transport";

/** The authtoken or public key of an agent. */
export type AgentProof = { readonly token: string } | { readonly public_key: string };

/**
 * The gateways of the account. `report` and `authorize` need the API key of a gateway or an admin, `delete`
 * of an admin.
 */
export class Gateways {
  constructor(private readonly transport: Transport) {}

  /** The gateways that reported in the last 7 days, by name; requests the next page when it is needed. */
  list(): AsyncGenerator<Gateway> {
    return this.transport.list("/gateways", "gateways");
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

import type { AuditHead } from "./generated";
import type { Transport } from "./transport";

/** The audit log, for admins. */
export class AuditLog {
  constructor(private readonly transport: Transport) {}

  /** Its head, for `tunnelplane audit verify --expect`. */
  async head(): Promise<AuditHead> {
    return (await this.transport.request<AuditHead>("GET", "/audit_head")).body;
  }
}

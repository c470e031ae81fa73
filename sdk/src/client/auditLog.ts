import type { Transport } from "./transport";

/**
 * The head of the audit log. Keep a copy elsewhere to verify later that nobody changed the log up to this
 * row.
 */
export interface AuditHead {
  /** The sequence of the last row; 0 if there is none. */
  readonly sequence: number;
  /** Its hash, which covers every row before. */
  readonly hash: string;
}

/** The audit log, for admins. */
export class AuditLog {
  constructor(private readonly transport: Transport) {}

  /** Its head, for `tunnelplane audit verify --expect`. */
  async head(): Promise<AuditHead> {
    return (await this.transport.request<AuditHead>("GET", "/audit_head")).body;
  }
}

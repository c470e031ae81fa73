import type { Transport } from "./transport";

/** The end of the audit log. Noted elsewhere, it shows later whether the log up to there is still the same. */
export interface AuditHead {
  /** The number of the last row; 0 while there is none. */
  readonly sequence: number;
  /** Its hash, which covers every row before. */
  readonly hash: string;
}

/** The audit log, for admins. */
export class AuditLog {
  constructor(private readonly transport: Transport) {}

  /** Its end, which `tunnelplane audit verify --expect` compares with. */
  async head(): Promise<AuditHead> {
    return (await this.transport.request<AuditHead>("GET", "/audit_head")).body;
  }
}

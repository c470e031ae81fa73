import { AuditLog } from "./auditLog";
import { type Caller, callerOf } from "./caller";
import { Deliveries } from "./deliveries";
import { Exposures } from "./exposures";
import { Transport, type TransportOptions } from "./transport";

/** A client's connection; the generated client adds a member for each kind of object. */
export class ApiClient {
  readonly transport: Transport;
  /** How deliveries to event destinations stand. */
  readonly deliveries: Deliveries;
  /** The audit log, for admins. */
  readonly auditLog: AuditLog;

  /** Who can reach what. */
  readonly exposure: Exposures;

  constructor(options: TransportOptions) {
    this.transport = new Transport(options);
    this.deliveries = new Deliveries(this.transport);
    this.auditLog = new AuditLog(this.transport);
    this.exposure = new Exposures(this.transport);
  }

  /** Whose the API key is, and what it may do. */
  caller(): Promise<Caller> {
    return callerOf(this.transport);
  }

  /** Closes the connections that are kept open. */
  close(): Promise<void> {
    return this.transport.close();
  }
}

import { AuditLog } from "./auditLog";
import { type Caller, callerOf } from "./caller";
import { Deliveries } from "./deliveries";
import { Events } from "./events";
import { Exposures } from "./exposures";
import { Gateways } from "./gateways";
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
  /** The changes of objects, for admins and gateways. */
  readonly events: Events;
  /** The gateways of the account, and what they ask and report. */
  readonly gateways: Gateways;

  constructor(options: TransportOptions) {
    this.transport = new Transport(options);
    this.deliveries = new Deliveries(this.transport);
    this.auditLog = new AuditLog(this.transport);
    this.exposure = new Exposures(this.transport);
    this.events = new Events(this.transport);
    this.gateways = new Gateways(this.transport);
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

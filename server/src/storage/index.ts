/** SQLite and PostgreSQL behind one interface. Other rooms import from here only. */

export { pipelined } from "../util";
export { bulkInsertion } from "./bulk";
export { Transaction } from "./direct";
export { factsOf, PLACEHOLDER } from "./facts";
export type { Lane } from "./lanes";
export { inParts, isAmong, isListed, partsOf, recordsOf, valuesOf } from "./list";
export { lockName } from "./locks";
export { MIGRATIONS, migrate, NewerSchema, schemaOf } from "./migrate";
export {
  connectTo,
  type DatabaseOptions,
  databaseName,
  inSnapshot,
  openStore,
  type StoreOptions,
} from "./open";
export type {
  AcmeOrderRow,
  AuditEventRow,
  Database,
  DeliveryRow,
  EndpointRow,
  GatewayRow,
  GuaranteeStateRow,
  InboxRow,
  PrincipalRow,
  SessionRow,
  TunnelRow,
  TunnelSessionRow,
} from "./schema";
export {
  change,
  effect,
  insertion,
  type ParameterOf,
  type Statement,
  statement,
} from "./statement";
export { type Store, Unavailable } from "./store";

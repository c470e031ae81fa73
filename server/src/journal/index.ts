/** Events and the audit log, written in the transaction of each change. Other rooms import from here only. */

export { ARCHIVED, archivedThrough, archiveHeader } from "./archive";
export type { AuditFilter } from "./auditFilter";
export { openDigests, type StoredAs, sealAuditKey, storedAsOf } from "./digests";
export { type Anchor, anchorText, headOf, headText } from "./head";
export { type AuditedAction, type Follower, Journal, journaled } from "./journal";
export { isBegun, openKeyring } from "./openKeyring";
export {
  type Author,
  commandLine,
  credentialOf,
  differences,
  isChangeOf,
  type ObjectChange,
  theServer,
} from "./payload";
export { auditPage } from "./readAudit";
export { PRUNED_THROUGH } from "./rows";
export { Sequencer } from "./sequencer";
export { auditRows, faultsOfRow, type Noted, type Verified, verifyAudit } from "./verify";
export { EventWaits } from "./waits";

/**
 * What operators do with a database: verify its audit log, back it up, restore it, change its keys. Other
 * rooms import from here only.
 */

export { recoverAdminKey } from "../auth";
export { anchorText, isBegun, type Noted, type Verified, verifyAudit } from "../journal";
export { createMasterKey, findMasterKey } from "../secrets";
export { type DatabaseOptions, databaseName, inSnapshot, schemaOf } from "../storage";
export { archiveAudit } from "./archive";
export { backUp, STDOUT } from "./backup";
export { type Counts, readHeader } from "./file";
export { restore } from "./restore";
export { addMasterKey, rotate } from "./rotate";

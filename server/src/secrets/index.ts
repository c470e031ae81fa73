/** Keys, sealing and tokens. Other rooms import from here only. */

export { KeyRotated, Keyring } from "./keyring";
export { createMasterKey, findMasterKey, type MasterKey, type MasterKeyOptions } from "./masterKey";
export { derive } from "./seal";
export { hashSecret, newSecret, readSecret, sealKept } from "./tokens";

/** Rotates data keys: seals everything again under a new one. Other rooms import from here only. */

export { addMasterKey, rotate } from "./rotate";

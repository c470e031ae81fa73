/** New data keys, and everything sealed again under them. Other rooms import from here only. */

export { addMasterKey, rotate } from "./rotate";
export { sealWhatIsClear } from "./sealAll";

/** Backs up a database into one file, and restores it. Other rooms import from here only. */

export { backUp, STDOUT } from "./backup";
export { type Counts, readHeader } from "./file";
export { restore } from "./restore";

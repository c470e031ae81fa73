/** Everything in one file, and back. Other rooms import from here only. */

export { backUp, STDOUT } from "./backup";
export { type Counts, decode, readHeader } from "./file";
export { restore } from "./restore";

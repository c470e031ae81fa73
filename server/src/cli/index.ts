/** The commands, for a program that has others beside them. */
export { program } from "./program";
export { run } from "./run";

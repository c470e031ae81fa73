/** Decides requests, and compares objects, in a thread of its own. Other rooms import from here only. */

export { Decisions } from "./decisions";

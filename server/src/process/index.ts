/** This process, and others that serve the same address. Other rooms import from here only. */

export { flushed, type LogLevel, openLogger } from "./logger";
export type { Order, Ready } from "./messages";
export { ALONE, isServing, Serving, type Siblings } from "./siblings";
export { NotServing, Together } from "./together";

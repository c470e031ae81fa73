/**
 * Bodies are checked against the contract here, so that none holds up the server. Other rooms import from
 * here only.
 */

export type { Findings, Purpose } from "./validate";
export { Validation } from "./validation";

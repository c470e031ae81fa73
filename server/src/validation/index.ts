/**
 * Checks bodies against the contract in a thread of its own, so that none delays the server. Other rooms
 * import from here only.
 */

export type { Findings, Purpose } from "./validate";
export { Validation } from "./validation";

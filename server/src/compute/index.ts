/**
 * Work that takes long, in threads of its own: checks bodies, decides requests and judges guarantees. Other
 * rooms import from here only.
 */

export { Compute } from "./compute";
export { type Contradiction, contradictionAmong, type GuaranteesToCompare } from "./contradictions";
export { TooLong } from "./judging";
export type { ChangeToJudge, StatesToJudge } from "./judgingWorker";
export type { Findings, Purpose } from "./validate";

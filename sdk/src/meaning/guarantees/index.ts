/** What must hold for requests: whether it does, and which changes break it. */
export type { GuaranteeChange } from "./changes";
export { contradiction } from "./contradiction";
export { coversHost, mistakeInGuarantee } from "./guarantee";
export {
  type BrokenGuarantee,
  type GuaranteeState,
  guaranteesBrokenBy,
  judgeGuarantee,
  judgeGuarantees,
} from "./states";
export { guaranteeWords } from "./words";

/** Guarantees for requests: whether they hold, and which changes break them. */
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

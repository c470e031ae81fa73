/** Guarantees for requests: whether they hold, and which changes break them. */
export type { GuaranteeChange } from "./changes";
export { contradiction } from "./contradiction";
export { coversHost, mistakeInGuarantee } from "./guarantee";
export { guaranteeText } from "./guaranteeText";
export {
  type BrokenGuarantee,
  evaluateGuarantee,
  evaluateGuarantees,
  type GuaranteeState,
  guaranteesBrokenBy,
} from "./states";

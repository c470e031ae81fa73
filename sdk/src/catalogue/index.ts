import "../nodeVersion";

/** Catalogues: the same objects written as YAML. Reads a file into plain values that know their lines, and checks them by the contract. */
export { check } from "./check";
export type { Entry } from "./entries";
export { CatalogueFile, isLater, type Later, type Tags } from "./file";
export { report } from "./mistakes";

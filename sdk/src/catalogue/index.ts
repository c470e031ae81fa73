import "../nodeVersion";

/**
 * Catalogues: objects listed in YAML. Reads a file into plain values with their lines, and checks them
 * against the contract.
 */
export { filled, setNameOf, setObjectsOf } from "./changeSet";
export { check } from "./check";
export type { Entry } from "./entries";
export { CatalogueFile, commonTags, isLater, type Later, type Tags } from "./file";
export { report } from "./mistakes";
export { countsOf, linesOf } from "./operationLines";
export { yamlOf } from "./yaml";

import "../nodeVersion";

/**
 * Catalogues: objects listed in YAML. Reads a file into plain values with their lines, and checks them
 * against the contract.
 */
export { filled, setNameOf, setObjectsOf } from "./changeSet";
export { check, readCatalogue } from "./check";
export type { Entry } from "./entries";
export { CatalogueFile, isLater, type Later, type Tags } from "./file";
export { countsOf, linesOf } from "./operationLines";
export { yamlOf } from "./yaml";

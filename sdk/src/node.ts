import "./nodeVersion";

export { mistypedVariables } from "./client/variables";
export { makeFolder } from "./folders";
export { switchReader } from "./switches";
export { guardOutput, inOneLine, painted, visible } from "./terminal";
export { UNKNOWN } from "./unknown";
export { limitYoungGeneration } from "./youngGeneration";

import "./nodeVersion";

export { mistypedVariables } from "./client/variables";
export { makeFolder } from "./folders";
export { limitYoungGeneration, loadInLittleMemory } from "./memory";
export { switchReader } from "./switches";
export { guardOutput, inOneLine, painted, visible } from "./terminal";
export { UNKNOWN } from "./unknown";

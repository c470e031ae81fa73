import "./nodeVersion";

export { guardOutput, inOneLine, painted, visible } from "./terminal";
export { UNKNOWN } from "./unknown";

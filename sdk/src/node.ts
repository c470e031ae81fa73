import "./nodeVersion";

export { readSwitch, SWITCH_FORM } from "./switches";
export { guardOutput, inOneLine, painted, visible } from "./terminal";
export { UNKNOWN } from "./unknown";

import "./nodeVersion";

export { guardOutput, inOneLine, painted, visible } from "./terminal";

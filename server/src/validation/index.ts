/** TODO Other rooms import from here only. */

export { Validation } from "./validation";

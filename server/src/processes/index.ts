/** Several processes that serve one address. Other rooms import from here only. */

export type { Order, Ready } from "./messages";
export { ALONE, isServing, Serving, type Siblings } from "./siblings";
export { NotServing, Together } from "./together";

export { inWords } from "./consequences";
export { type Creation, intentOf } from "./creation";
export { type Everything, readServer } from "./everything";
export { type Checked, type IsUnknown, Lifecycle, type Plan } from "./lifecycle";
export { expectServer, nameOf, OtherServerError, recordOfServer, serverIn } from "./server";
export { isRefusedByGuarantee, targetOf, type Wire } from "./target";
export {
  type Difference,
  inputsOf,
  outputsOf,
  type Properties,
  recordedOf,
  same,
  toProperties,
  toWire,
} from "./values";

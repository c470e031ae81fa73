export {
  type Child,
  COMPONENTS,
  type Component,
  componentToken,
  mistakesInComponent,
} from "./components";
export { inWords } from "./consequences";
export { type Creation, intentOf } from "./creation";
export type { Checked, IsUnknown, Plan } from "./declaration";
export { type Everything, readServer } from "./everything";
export { Lifecycle } from "./lifecycle";
export { expectLocation, locationIn, namesLocation, recordOfLocation } from "./location";
export { ElsewhereError, lacksProject } from "./project";
export { serverIn } from "./server";
export { isRefusedByGuarantee, targetOf, type Wire } from "./target";
export { classIn, nameIn, SECRET, SIGNATURE, tokenIn, typesIn } from "./urn";
export {
  type Difference,
  differences,
  inputsOf,
  outputsOf,
  type Properties,
  recordedOf,
  same,
  toProperties,
  toWire,
} from "./values";

/**
 * The exposure of stored objects, and the effects of dry runs on callers. Other rooms import from here only.
 */

export { climb, objectsAround } from "./around";
export { DryRunConsequences } from "./consequences";
export { decide } from "./decide";
export { worldOfEdges } from "./gather";
export { exposurePage, hostportOf } from "./page";

/**
 * What is stored, as a caller may see it: objects, who refers to them, and events. Rooms that answer about
 * the world read it here only, so that nothing of another project can be in their answers. Other rooms import
 * from here only.
 */

export { type EventFilter, eventAt, eventPage, eventsAfter, sequenceAfter } from "./events";
export { objectOf } from "./objects";
export { isSeenBy } from "./readable";
export { referrersOf } from "./referrers";
export * from "./search";
export { candidatesOf, View } from "./view";

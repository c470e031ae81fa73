/** Ids, addresses, refusals, threads and turns, for every room. Other rooms import from here only. */

export { newId } from "@tunnelplane/sdk/contract";
export { customerOf, isLoopback, isPublic, parseListen } from "./addresses";
export { Budget, type GiveBack, type Holder } from "./budget";
export { isSession } from "./ids";
export { grouped, inOrder } from "./order";
export { OtherServers } from "./otherServers";
export { giveToOwnerOfFolder } from "./ownership";
export { pipelined } from "./pipelined";
export {
  BodyError,
  type Fault,
  queryError,
  quoted,
  RequestError,
  refusalForNow,
  refuseFaults,
  shortened,
} from "./requestError";
export { type SharedReport, SharedThread, type SharedThreadOptions } from "./sharedThread";
export {
  inSlices,
  largeReadsOf,
  newLargeReads,
  ownTurn,
  type ReadLarge,
  Slice,
  yieldToEventLoop,
} from "./slices";
export { lowerPriority, Thread } from "./thread";
export { Turns } from "./turns";
export { VERSION } from "./version";

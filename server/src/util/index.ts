/** Ids, addresses and refusals, for every room. Other rooms import from here only. */

export { customerOf, isLoopback, isPublic } from "./addresses";
export { newId } from "./ids";
export { takeRandom } from "./random";
export { BodyError, type Fault, quoted, RequestError, refuseFaults, shortened } from "./requestError";
export { inSlices, ownTurn, readLarge, takeTurn } from "./slices";

/** Ids, addresses and refusals, for every room. Other rooms import from here only. */

export { customerOf, isLoopback, isPublic } from "./addresses";
export { newId } from "./ids";
export { BodyError, RequestError, refuseFaults } from "./requestError";
export { inSlices, ownTurn, readLarge } from "./slices";

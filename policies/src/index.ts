import "@tunnelplane/sdk/node";

export type { ChangeOptions, Server } from "./changes";
export { type Levels, type PolicyOptions, tunnelPolicies } from "./policies";

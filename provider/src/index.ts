export { Account, type AccountArgs } from "./account";
export { Resource } from "./resource";
export * from "./resources";

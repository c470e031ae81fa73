import "@tunnelplane/sdk/node";

export { Account, type AccountArgs } from "./account";
export { type CatalogueOptions, catalogue } from "./catalogue";
export { Resource } from "./resource";
export * from "./resources";

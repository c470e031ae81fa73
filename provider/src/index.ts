import "@tunnelplane/sdk/node";

export { type CatalogueOptions, catalogue } from "./catalogue/catalogue";
export * from "./generated";
export { Account, type AccountArgs } from "./host/account";
export { Resource } from "./host/resource";

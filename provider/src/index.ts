import "@tunnelplane/sdk/node";

export { catalogue } from "./catalogue/catalogue";
export { CatalogueSet, type CatalogueSetArgs } from "./catalogue/catalogueSet";
export type { CatalogueOptions } from "./catalogue/declare";
export * from "./generated";
export { Account, type AccountArgs } from "./host/account";
export { getEndpoints, getTunnelSessions, getTunnels } from "./host/observed";
export { Resource } from "./host/resource";

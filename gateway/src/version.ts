/** The release of the gateway. */
export const { version: VERSION }: { readonly version: string } = require("../package.json");

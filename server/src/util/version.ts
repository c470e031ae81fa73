/** The version of this package, as its package.json says. */
export const VERSION: string = (require("../../package.json") as { version: string }).version;

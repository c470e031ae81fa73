/** The engine's type token for a class of this package. */
export const typeToken = (type: string): string => `pulumi-nodejs:dynamic/tunnelplane:${type}`;

/** The engine's type token of a class of this package. */
export const typeToken = (type: string): string => `pulumi-nodejs:dynamic/tunnelplane:${type}`;

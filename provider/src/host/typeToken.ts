/** The engine's type token for a class of this package. */
export const typeToken = (type: string): string => `pulumi-nodejs:dynamic/tunnelplane:${type}`;

/**
 * Whether something is a resource of a class of this package, declared with it or with the native provider;
 * by the engine's type token, which is all that policies know of a resource.
 */
export const isOfType = (resource: unknown, type: string): boolean =>
  typeof resource === "object" &&
  resource !== null &&
  "__pulumiType" in resource &&
  (resource.__pulumiType === typeToken(type) || resource.__pulumiType === `tunnelplane:index:${type}`);

/**
 * The provider code that the state keeps with each resource: it loads the real provider. Keep it short,
 * because the engine writes it with every step (1.8 KB of code make 500 creations twice as slow, see
 * docs/architecture/provider.md). Never change it: after an upgrade, states of older versions still hold the
 * old text.
 */
export const providerLiteral = (kind: string): string =>
  `exports.handler=()=>require("@tunnelplane/pulumi/dynamic")("${kind}")`;

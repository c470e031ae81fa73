import { COMPONENTS } from "../core/components";

/** The engine's type token for a class of this package. */
export const typeToken = (type: string): string => `pulumi-nodejs:dynamic/tunnelplane:${type}`;

/** The engine's type token, which is all that policies know of a resource. */
export const tokenOf = (resource: unknown): unknown =>
  typeof resource === "object" && resource !== null && "__pulumiType" in resource && resource.__pulumiType;

/** The class of this package of which something is, declared with it or with the native provider. */
const classOf = (resource: unknown): string | undefined =>
  /^(?:pulumi-nodejs:dynamic\/tunnelplane|tunnelplane:index):(\w+)$/.exec(`${tokenOf(resource)}`)?.[1];

export const isOfType = (resource: unknown, type: string): boolean => classOf(resource) === type;

/** Whether something is of a class of this package, other than a component. */
export function isOfPackage(resource: unknown): boolean {
  const of = classOf(resource);
  return of !== undefined && !COMPONENTS.some(({ type }) => type === of);
}

/**
 * The provider code that the state keeps with each resource: it loads the real provider. Keep it short,
 * because the engine writes it with every step (1.8 KB of code make 500 creations twice as slow, see
 * docs/architecture/provider.md). Never change it: after an upgrade, states of older versions still hold the
 * old text.
 */
export const providerLiteral = (kind: string): string =>
  `exports.handler=()=>require("@tunnelplane/pulumi/dynamic")("${kind}")`;

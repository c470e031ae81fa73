import { code } from "../names";
import { listed } from "./finding";

/**
 * What rules say about one object or address, in findings and in warnings of previews.
 * @param subject the address or the object's name, quoted
 */
export const noCertificate = (subject: string): string =>
  `${subject} no longer asks for a client certificate.`;

/** @param whom with, in words */
export const noSignIn = (subject: string, whom = ""): string =>
  `${subject} no longer asks users to sign in${whom && ` with ${whom}`}.`;

/** @param which token, in words */
export const noToken = (subject: string, which = ""): string =>
  `${subject} no longer asks for a token${which && ` ${which}`}.`;

/**
 * @param families "IPv4", "IPv6", or both
 * @param before what was admitted, in words
 */
export const admitsAll = (subject: string, families: string, before?: string): string =>
  `${subject} now admits every ${families} address${before === undefined ? "" : ` (before: ${before})`}.`;

export const nothingAnswers = (subject: string, reason: string): string =>
  `${subject} no longer has anything to answer it: ${reason}.`;

/** Why nothing answers. */
export const NO_ANSWER = {
  disabled: "its backend is disabled",
  backend: "no backend of it has a weight or is there",
  tunnels: "it has no backend, and no credential may bind it",
};

/**
 * @param credential its kind and name
 * @param binds what it may bind, in words
 * @param before the same of before; a new credential has none
 */
export const mayNowBind = (credential: string, binds: string, before?: string): string =>
  before === undefined
    ? `The new ${credential} may bind ${binds}.`
    : `The ${credential} may now bind ${binds} (before: ${before}).`;

export const isDisabled = (module: string, name: string): string =>
  `The module ${module} of ${name} is declared but disabled: it does nothing.`;

/** The rules of a credential's ACL. */
export const bindsText = (acl: readonly string[]): string =>
  acl.length === 0 || acl.includes("*") ? "everything" : listed(acl.map(code));

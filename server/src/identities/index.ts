/**
 * Identities that others vouch for: lets people sign in at an identity provider, and exchanges identity
 * tokens of workloads for API keys. Other rooms import from here only.
 */

export * from "./exchange";
export * from "./signin";

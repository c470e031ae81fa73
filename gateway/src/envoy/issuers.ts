import { asksClaims } from "./claimRules";
import type { Issuer, Objects } from "./model";

/** The name of the socket where the gateway answers for issuers, in the folder of agents' sockets. */
export const ISSUER_SOCKET = "issuers";
/** What Envoy asks for there: the first part of a path. */
export const [SESSION, KEYS, UNKNOWN_KEY] = ["session", "keys", "unknown-key"];

/** @param name of what is asked about */
export const issuerPath = (what: string, name: string): string =>
  `/${what}/${Buffer.from(name).toString("base64url")}`;

const routesOf = ({ https_edge }: Objects) => https_edge.flatMap(({ routes }) => routes);

/** The URLs of the issuers at which routes sign users in. */
export const issuersOf = (objects: Objects): string[] =>
  routesOf(objects).flatMap(({ oidc }) => (oidc?.enabled ? [oidc.issuer] : []));

/** The URLs of the key sets with which routes check tokens, and ID tokens whose claims they ask for. */
export const keySetsOf = (objects: Objects, issuers: ReadonlyMap<string, Issuer>): string[] =>
  routesOf(objects).flatMap(({ jwt_validation: jwt, oidc }) => [
    ...(jwt?.enabled ? jwt.jws.keys.sources.additional_jkus : []),
    ...(oidc?.enabled && asksClaims(oidc) ? [issuers.get(oidc.issuer)?.jwksUri ?? []].flat() : []),
  ]);

import type { Objects } from "./model";

const routesOf = ({ https_edge }: Objects) => https_edge.flatMap(({ routes }) => routes);

/** The URLs of the issuers at which routes sign users in. */
export const issuersOf = (objects: Objects): string[] =>
  routesOf(objects).flatMap(({ oidc }) => (oidc?.enabled ? [oidc.issuer] : []));

/** The URLs of the key sets against which routes check tokens. */
export const keySetsOf = (objects: Objects): string[] =>
  routesOf(objects).flatMap(({ jwt_validation: jwt }) =>
    jwt?.enabled ? jwt.jws.keys.sources.additional_jkus : [],
  );

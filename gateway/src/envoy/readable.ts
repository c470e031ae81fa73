import { isObject, own } from "@tunnelplane/sdk/contract";
import type { EnforcedKind } from "./kinds";

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => isObject(value) && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === "string";
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

/** The texts in a value that should be a list of texts. */
export const textsIn = (value: unknown): string[] => (Array.isArray(value) ? value.filter(isText) : []);

/** The mistake in the fields that are read before edges are translated one by one, if there is one. */
export function faultOf(kind: EnforcedKind, fields: Fields): string | undefined {
  switch (kind) {
    case "tls_edge":
    case "tcp_edge":
      return faultOfHostports(fields);
    case "https_edge":
      return faultOfHostports(fields) ?? faultOfRoutes(fields);
    case "tunnel_group_backend":
      return isFields(fields.labels) ? undefined : "labels is not an object";
    case "static_backend":
      return isText(fields.address) ? undefined : "address is not text";
    default:
      return undefined;
  }
}

const faultOfHostports = ({ hostports }: Fields) =>
  isTexts(hostports) ? undefined : "hostports is not a list of texts";

function faultOfRoutes({ routes }: Fields): string | undefined {
  if (!Array.isArray(routes) || !routes.every(isFields)) return "routes is not a list of routes";
  for (const { oidc, jwt_validation: jwt } of routes) {
    if (isFields(oidc) && oidc.enabled && !isText(oidc.issuer))
      return "the issuer of a route's oidc is not text";
    if (isFields(jwt) && jwt.enabled && !isTexts(within(jwt, "jws", "keys", "sources", "additional_jkus")))
      return "the additional_jkus of a route's jwt_validation is not a list of texts";
  }
  return undefined;
}

const within = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce((inside, name) => (isFields(inside) ? own(inside, name) : undefined), value);

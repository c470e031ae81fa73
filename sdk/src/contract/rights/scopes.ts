import { z } from "zod";
import { conditioned, distinct, text } from "../core/fields";
import { mark } from "../core/marks";
import { didYouMean } from "../core/similarity";
import { KINDS } from "../kinds";

/** The rights to objects or parts of the service; each permission includes those before it. */
export const PERMISSIONS = ["read", "plan", "write"] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** Whether one permission includes another. */
export const includesPermission = (have: Permission, want: Permission): boolean =>
  PERMISSIONS.indexOf(have) >= PERMISSIONS.indexOf(want);

/** Every scope of an API key: the permissions, and reading or writing objects of one kind. */
export const SCOPES: readonly string[] = [
  ...PERMISSIONS,
  ...KINDS.flatMap((kind) => [`${kind}:read`, `${kind}:write`]),
];

/** How long an API key lasts that a token of a pipeline is exchanged for, in seconds. */
export const EXCHANGED_KEY_S = { least: 60, most: 3600, usual: 900 } as const;

/** The form of scopes, for documents. */
const FORM = "^(read|plan|write|[a-z_]+:(read|write))$";

/** The scopes of an API key. people.md "Scopes of an API key". */
export const scopes = () =>
  mark(
    distinct(
      z.array(conditioned(text(64), mistakeInScope).meta({ pattern: FORM })).max(SCOPES.length),
    ).optional(),
    { serverDefault: true },
  );

const mistakeInScope = (scope: string): string | undefined =>
  SCOPES.includes(scope)
    ? undefined
    : `is not a scope: expected "read", "plan", "write", or a kind with one of ":read" and ":write", for example "tls_edge:write"${didYouMean(scope, SCOPES)}`;

/**
 * The scopes that allow a permission; any of them is enough.
 * @param kind undefined for a part of the service that is not a kind of object
 */
export const scopesFor = (permission: Permission, kind: string | undefined): string[] => [
  ...(kind === undefined
    ? []
    : permission === "read"
      ? [`${kind}:read`, `${kind}:write`]
      : [`${kind}:write`]),
  ...PERMISSIONS.slice(PERMISSIONS.indexOf(permission)),
];

/** The least of them, in words: `"tls_edge:write" or "write"`. */
export const leastScopes = (permission: Permission, kind: string | undefined): string =>
  [...(kind === undefined ? [] : [`${kind}:${permission === "read" ? "read" : "write"}`]), permission]
    .map((scope) => `"${scope}"`)
    .join(" or ");

/** Whether scopes hold one. */
export function holdsScope(have: readonly string[], scope: string): boolean {
  const [kind = "", permission] = scope.includes(":") ? scope.split(":") : [undefined, scope];
  return have.length === 0 || scopesFor(permission as Permission, kind).some((one) => have.includes(one));
}

/**
 * The scopes of a list that another list does not hold.
 * @returns "all" for an empty list, which is everything, beside one that is not
 */
export const scopesBeyond = (have: readonly string[], want: readonly string[]): string[] =>
  have.length === 0
    ? []
    : want.length === 0
      ? ["all (an empty list)"]
      : want.filter((scope) => !holdsScope(have, scope));

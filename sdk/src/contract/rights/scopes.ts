import { z } from "zod";
import { conditioned, distinct, text } from "../core/fields";
import { mark } from "../core/marks";
import { didYouMean } from "../core/similarity";
import { KINDS } from "../kinds";

/** What a caller does with objects or parts of the service; each holds those before it. */
export const ACTS = ["read", "plan", "write"] as const;
export type Act = (typeof ACTS)[number];

/** Whether the right to one act holds the right to another. */
export const holdsAct = (have: Act, want: Act): boolean => ACTS.indexOf(have) >= ACTS.indexOf(want);

/** Every scope of an API key: the acts, and reading or writing objects of one kind. */
export const SCOPES: readonly string[] = [
  ...ACTS,
  ...KINDS.flatMap((kind) => [`${kind}:read`, `${kind}:write`]),
];

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
    : `is no scope: expected "read", "plan", "write", or a kind with one of ":read" and ":write", for example "tls_edge:write"${didYouMean(scope, SCOPES)}`;

/**
 * The scopes that allow an act; any of them is enough.
 * @param kind undefined for a part of the service that is no kind of object
 */
export const scopesFor = (act: Act, kind: string | undefined): string[] => [
  ...(kind === undefined ? [] : act === "read" ? [`${kind}:read`, `${kind}:write`] : [`${kind}:write`]),
  ...ACTS.slice(ACTS.indexOf(act)),
];

/** The least of them, in words: `"tls_edge:write" or "write"`. */
export const leastScopes = (act: Act, kind: string | undefined): string =>
  [...(kind === undefined ? [] : [`${kind}:${act === "read" ? "read" : "write"}`]), act]
    .map((scope) => `"${scope}"`)
    .join(" or ");

/** Whether scopes hold one. */
export function holdsScope(have: readonly string[], scope: string): boolean {
  const [kind = "", act] = scope.includes(":") ? scope.split(":") : [undefined, scope];
  return have.length === 0 || scopesFor(act as Act, kind).some((one) => have.includes(one));
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

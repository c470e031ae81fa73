import { z } from "zod";
import type { FieldName } from "../fieldNames";
import type { Verdict } from "../judgement/check";
import { moduleOf, type Reading, readModule } from "../judgement/reading";
import { type RequiredClaims, refuseClaims } from "../judgement/rules/claims";
import { Unservable } from "../judgement/rules/unservable";
import {
  type AcceptedTokens,
  type DecisionRequest,
  questionAbout,
  type TokenLocation,
  UNRECORDED,
} from "../judgement/types";
import { ending, passing, refused, unsure } from "../judgement/verdicts";
import type { ModelObject } from "../model";
import { type Fields, holdsUnknown, isObject, textIn, textsIn } from "../values";
import type { Aspect } from "./aspect";
import { claimsCheck, claimsSchema, ifClaimed, readClaims } from "./claims";
import { documented, listedText, showing, texts } from "./shown";

export interface TokenCheck {
  readonly issuers: readonly string[];
  readonly audiences: readonly string[];
  readonly algorithms: readonly string[];
  /** The sources of the issuers' keys. */
  readonly keys: readonly string[];
  /** The possible places of the token in a request. */
  readonly locations: readonly string[];
  /** Whether OPTIONS requests pass without a token. */
  readonly options_passthrough: boolean;
  /** The claims that a token must have; absent if it needs none. */
  readonly claims?: RequiredClaims;
}

const at = (value: unknown, ...names: FieldName[]): unknown =>
  names.reduce<unknown>((found, name) => (isObject(found) ? found[name] : found), value);

const allowed = (value: unknown): string[] => {
  const list = at(value, "allow_list");
  return textsIn(Array.isArray(list) ? list.map((entry) => at(entry, "value")) : []);
};

export const readToken = (route: ModelObject): Reading<TokenCheck | null> => {
  const check = (fields: Fields): TokenCheck => {
    const claims = readClaims(fields);
    return {
      issuers: allowed(fields.issuer),
      audiences: allowed(fields.audience),
      algorithms: textsIn(at(fields, "jws", "allowed_algorithms")),
      keys: textsIn(at(fields, "jws", "keys", "sources", "additional_jkus")),
      locations: locationsIn(at(fields, "http", "tokens")),
      options_passthrough: fields.options_passthrough === true,
      ...(claims && { claims }),
    };
  };
  const module = moduleOf(route, "jwt_validation");
  const read = readModule<TokenCheck | null>(module, null, check);
  const { issuer, audience, jws, http, options_passthrough, require_claims } = module.fields;
  const all = [issuer, audience, jws, http, options_passthrough, require_claims];
  return { ...read, unknown: read.unknown || (read.value !== null && holdsUnknown(all)) };
};

const locationsIn = (tokens: unknown): string[] =>
  textsIn(
    (Array.isArray(tokens) ? tokens : []).map((token) => {
      const prefix = textIn(at(token, "prefix"));
      return `${at(token, "type")} in ${at(token, "method")} ${at(token, "name")}${prefix ? ` after ${JSON.stringify(prefix)}` : ""}`;
    }),
  );

const tokenLocationsIn = (fields: Fields): TokenLocation[] => {
  const tokens = at(fields, "http", "tokens");
  return (Array.isArray(tokens) ? tokens : []).map((token) => ({
    method: String(at(token, "method")),
    name: String(at(token, "name")).toLowerCase(),
    prefix: textIn(at(token, "prefix")) ?? "",
  }));
};

/** The check of JSON Web Tokens. */
export const token = {
  of: { https_edge_route: true },
  prepare({ holder }) {
    const module = moduleOf(holder, "jwt_validation");
    if (module.state === "absent" || module.state === "off") return undefined;
    const read = readToken(holder);
    const { issuers = [], audiences = [], algorithms = [], keys = [], claims } = read.value ?? {};
    const passesOptions = read.value?.options_passthrough === true;
    const by: AcceptedTokens = {
      issuers,
      audiences,
      algorithms,
      keys,
      locations: tokenLocationsIn(module.fields),
      claims,
    };
    if (!read.unknown) refuseUncheckable(by);
    const field = "jwt_validation";
    const lacking = claimsCheck({ holder, field, of: "the token" }, claims);
    const good = passing(holder, field, "The token is accepted.");
    const unrecorded = unsure(holder, field, "Whether the caller has a token is not recorded.");
    const end = (sentence: string, status: number) => ending(holder, field, sentence, refused(status));
    const none = end("A token is asked for, and there is none where one may be.", 401);
    const bad = end("The token is not accepted: its issuer, or the key of its signature, is another.", 401);
    const elsewhere = end("The token is not accepted: it is for another audience.", 403);
    const weak = end("The token is not accepted: its algorithm is another.", 403);
    const options = passing(holder, field, "OPTIONS requests pass without a token.");
    const judge = (shown: DecisionRequest["token"]): Verdict => {
      if (shown === UNRECORDED) return unrecorded;
      if (!shown) return none;
      if (shown === "invalid") return bad;
      const { issuer, at, keys: key, algorithm, audiences: meantFor } = shown;
      // Parts that a request leaves out are as the route asks for them, but claims are unknown.
      if (at && !by.locations.some((location) => isAt(location, at))) return none;
      if (!issuers.includes(issuer)) return bad;
      if (meantFor && !meantFor.some((audience) => audiences.includes(audience))) return elsewhere;
      if (key !== undefined && !keys.includes(key)) return bad;
      if (algorithm !== undefined && !algorithms.includes(algorithm)) return weak;
      return lacking(shown.claims) ?? good;
    };
    return {
      look({ method, request: { token: shown } }) {
        if (passesOptions && method === "OPTIONS") return options;
        const verdict = judge(shown);
        return passesOptions && method === undefined && verdict !== good ? unrecorded : verdict;
      },
      predicates: [
        { dimension: "token", op: "accepted", by },
        ...(passesOptions ? [questionAbout("method", "==", "OPTIONS")] : []),
      ],
      ...(read.unknown && { unknown: "Which tokens are asked for is not wholly known." }),
    };
  },
  shows: showing({
    field: "token",
    title: "Token",
    schema: () =>
      documented(
        z
          .object({
            issuers: texts("The issuers that are accepted."),
            audiences: texts("The audiences that are accepted."),
            algorithms: texts("The algorithms of signatures that are accepted."),
            keys: texts("Where the keys are read that check signatures."),
            locations: texts("Where in a request the token is looked for."),
            options_passthrough: documented(z.boolean(), "Whether OPTIONS requests pass without a token."),
            claims: claimsSchema("The claims that a token must have; left out where it needs none."),
          })
          .nullable(),
        "The required JSON Web Tokens; null if none are required.",
      ),
    read: ({ holder }) => readToken(holder),
    absent: null,
    exposed: (value: TokenCheck | null) => value,
    words: (check) =>
      check && `of ${listedText(check.issuers)} for ${listedText(check.audiences)}${ifClaimed(check.claims)}`,
    check: (check) => check && "token",
  }),
} satisfies Aspect<"jwt_validation">;

/** Whether a token behind a prefix is found: Envoy looks for the declared prefix anywhere in the header. */
const isAt = (declared: TokenLocation, sent: TokenLocation): boolean =>
  declared.method === sent.method &&
  declared.name === sent.name.toLowerCase() &&
  (declared.prefix === ""
    ? sent.prefix === ""
    : (isScheme(declared.prefix) && sent.prefix.toLowerCase() === declared.prefix.toLowerCase()) ||
      (sent.prefix.includes(declared.prefix) &&
        sent.prefix.indexOf(declared.prefix) + declared.prefix.length === sent.prefix.length));

/** Whether a prefix names a scheme, such as `Bearer `: its case does not count (RFC 9110 section 11.1). */
export const isScheme = (prefix: string): boolean => /^[A-Za-z][\w-]* $/.test(prefix);

/** @throws Unservable for lists with which no token could be checked */
export function refuseUncheckable(accepted: AcceptedTokens): void {
  const { issuers, audiences, algorithms, keys, locations, claims = {} } = accepted;
  refuseClaims("jwt_validation", claims);
  const body = locations.find(({ method }) => method !== "header");
  if (body)
    throw new Unservable(
      `jwt_validation looks for a token in the body (${JSON.stringify(body.name)}), which gateways do not read: use a header`,
    );
  if ([issuers, audiences, algorithms, keys, locations].some((list) => list.length === 0))
    throw new Unservable(
      "a list of jwt_validation is empty, so that no token could pass: fill it, or disable the module",
    );
}

import { z } from "zod";
import { moduleOf, type Reading, readModule } from "../judgement/reading";
import { type RequiredClaims, refuseClaims } from "../judgement/rules/claims";
import { Unservable } from "../judgement/rules/unservable";
import { questionAbout, UNRECORDED } from "../judgement/types";
import { ending, passing, refused, unsure } from "../judgement/verdicts";
import type { ModelObject } from "../model";
import { holdsUnknown, textIn, textsIn } from "../values";
import type { Aspect } from "./aspect";
import { claimsCheck, claimsSchema, ifClaimed, readClaims } from "./claims";
import { documented, showing, text, texts } from "./shown";

export interface SignIn {
  readonly issuer: string;
  readonly client_id: string;
  readonly scopes: readonly string[];
  /** Whether OPTIONS requests pass without sign-in. */
  readonly options_passthrough: boolean;
  /** The prefix of the session's cookie; "" for the service's own. */
  readonly cookie_prefix: string;
  /** Limits of a session in seconds; 0 for none. */
  readonly inactivity_timeout: number;
  readonly maximum_duration: number;
  /** The claims that a user's ID token must have; absent if it needs none. */
  readonly claims?: RequiredClaims;
}

export const readSignIn = (route: ModelObject): Reading<SignIn | null> =>
  readModule<SignIn | null>(
    moduleOf(route, "oidc"),
    null,
    (fields) => {
      const claims = readClaims(fields);
      return {
        issuer: textIn(fields.issuer) ?? "",
        client_id: textIn(fields.client_id) ?? "",
        scopes: textsIn(fields.scopes),
        options_passthrough: fields.options_passthrough === true,
        cookie_prefix: textIn(fields.cookie_prefix) ?? "",
        inactivity_timeout: secondsIn(fields.inactivity_timeout),
        maximum_duration: secondsIn(fields.maximum_duration),
        ...(claims && { claims }),
      };
    },
    ({ issuer, client_id, scopes, options_passthrough, require_claims, ...session }) => ({
      issuer,
      client_id,
      options_passthrough: options_passthrough ?? false,
      cookie_prefix: session.cookie_prefix ?? "",
      inactivity_timeout: session.inactivity_timeout ?? 0,
      maximum_duration: session.maximum_duration ?? 0,
      scopes: holdsUnknown(scopes) ? scopes : textsIn(scopes),
      claims: holdsUnknown(require_claims) ? require_claims : readClaims({ require_claims }),
    }),
  );

const secondsIn = (value: unknown): number => (typeof value === "number" ? value : 0);

/** The check that users have signed in. */
export const signIn = {
  of: { https_edge_route: true },
  prepare({ holder }) {
    const module = moduleOf(holder, "oidc");
    if (module.state === "absent" || module.state === "off") return undefined;
    refuseCookies(textIn(module.fields.cookie_prefix) ?? "");
    const { value, unknown } = readSignIn(holder);
    const { issuer = "", client_id = "", options_passthrough = false, claims } = value ?? {};
    if (!unknown) refuseClaims("oidc", claims ?? {});
    const field = "oidc";
    const lacking = claimsCheck({ holder, field, of: "the ID token" }, claims);
    const options = passing(holder, field, "OPTIONS requests pass without sign-in.");
    const signedIn = passing(holder, field, "The user is signed in.");
    const sentence = `Users have to sign in with ${issuer}.`;
    const sent = (status: number | null) => ending(holder, field, sentence, { outcome: "sign_in", status });
    const away = {
      navigated: sent(302),
      fetched: ending(holder, field, `${sentence} No person navigates here.`, refused(401)),
      unrecorded: sent(null),
    };
    const refusalOf = (isNavigated: boolean | undefined) =>
      isNavigated === undefined ? away.unrecorded : isNavigated ? away.navigated : away.fetched;
    const unrecorded = unsure(holder, field, "Whether the user is signed in is not recorded.");
    const method = questionAbout("method", "==", "OPTIONS");
    return {
      look({ method, request: { session }, isNavigated }) {
        if (options_passthrough && method === "OPTIONS") return options;
        if (session === UNRECORDED) return unrecorded;
        // Parts that a request leaves out are as the route asks for them, but claims are unknown.
        const { issuer: by = issuer, client_id: to = client_id } = session ?? {};
        const isSignedIn = session && by === issuer && to === client_id;
        const refusal = isSignedIn ? lacking(session.claims) : refusalOf(isNavigated);
        if (!refusal) return signedIn;
        return options_passthrough && method === undefined ? unrecorded : refusal;
      },
      predicates: [
        { dimension: "session", op: "of", issuer, client_id, ...(claims && { claims }) },
        ...(options_passthrough ? [method] : []),
      ],
      ...(unknown && { unknown: "Whom users have to sign in with is not wholly known." }),
    };
  },
  shows: showing({
    field: "sign_in",
    title: "Sign-in",
    schema: () =>
      documented(
        z
          .object({
            issuer: text("The issuer of the identities."),
            client_id: text("The client id at the issuer."),
            scopes: texts("The scopes that are asked for."),
            options_passthrough: documented(z.boolean(), "Whether OPTIONS requests pass without signing in."),
            cookie_prefix: text("The prefix of the session's cookie; \"\" for the service's own."),
            inactivity_timeout: documented(
              z.int(),
              "After how many seconds without a request a session ends; 0: never.",
            ),
            maximum_duration: documented(
              z.int(),
              "After how many seconds a session ends in any case; 0: never.",
            ),
            claims: claimsSchema(
              "The claims that a user's ID token must have; left out where it needs none.",
            ),
          })
          .nullable(),
        "The provider that signs users in; null if nobody has to sign in.",
      ),
    read: ({ holder }) => readSignIn(holder),
    absent: null,
    exposed: (value: SignIn | null) => value,
    words: (asked) => asked && `${asked.issuer} as ${asked.client_id}${ifClaimed(asked.claims)}`,
    check: (asked) => asked && "sign-in",
  }),
} satisfies Aspect<"oidc">;

/** @throws Unservable for a prefix that no cookie's name may have */
export function refuseCookies(prefix: string): void {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]*$/.test(prefix))
    throw new Unservable(
      `cookie_prefix ${JSON.stringify(prefix)} holds what no cookie's name may: use letters, digits, - and _`,
    );
}

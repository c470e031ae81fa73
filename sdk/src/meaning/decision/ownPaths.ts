import { OWN_PATHS } from "../../contract/formats/http";
import type { Check, Hostport, Verdict } from "../judgement/check";
import type { IncomingRequest } from "../judgement/incomingRequest";
import { moduleOf } from "../judgement/reading";
import { isWildcard } from "../judgement/rules/names";
import { escapeRegex, finds } from "../judgement/rules/patterns";
import { type DecisionStep, type Predicate, questionAbout } from "../judgement/types";
import { ending, passing, refused } from "../judgement/verdicts";
import type { RouteSite } from "./routeSite";

/** A path of the gateway's own, to which users come back from the issuer, or at which they sign out. */
export interface OwnPath {
  readonly path: string;
  readonly step: DecisionStep;
  readonly checks: readonly Check[];
}

/** The gateway's paths for routes that sign users in. */
export const ownPathsOf = (routes: readonly RouteSite[], hostport: Hostport): OwnPath[] =>
  routes.flatMap((route) => (moduleOf(route.thing, "oidc").state === "on" ? pathsOf(route, hostport) : []));

function pathsOf({ thing, admission }: RouteSite, { host }: Hostport): OwnPath[] {
  const id = thing.object.id ?? thing.identity;
  const step = passing(thing, "oidc", "The path is the gateway's own.").step as DecisionStep;
  const signIn = (sentence: string, status: number | null): Verdict =>
    ending(thing, "oidc", sentence, { outcome: "sign_in", status });
  const comingBack = signIn("Users come back from signing in here.", null);
  const signedOut = signIn("The user is signed out.", 302);
  const byPost = ending(thing, "oidc", "Signing out takes a POST.", refused(405));
  const foreign = ending(thing, "oidc", "Another site may not sign users out.", refused(403));
  const unrecorded = ending(thing, "oidc", "It is not recorded which site asks to sign out.", {
    outcome: "unknown",
    status: null,
  });
  const own = isWildcard(host) ? `[^.:/]+${escapeRegex(host.slice(1))}` : escapeRegex(host);
  const allowed = { origin: `^https://${own}(?::[0-9]+)?$`, "sec-fetch-site": "^(?:same-origin|none)$" };
  const headers = Object.entries(allowed);
  const leaving = (request: IncomingRequest): Verdict => {
    if (request.method === undefined) return unrecorded;
    if (request.method !== "POST") return byPost;
    const sent = headers.map(([name, pattern]) => ({ value: request.header(name), pattern }));
    if (sent.some(({ value }) => value === undefined)) return unrecorded;
    return sent.every(({ value, pattern }) => !value || finds(pattern, value)) ? signedOut : foreign;
  };
  const asked: Predicate[] = [
    questionAbout("method", "==", "POST"),
    ...headers.flatMap(([name, text]): Predicate[] => [
      questionAbout(`header ${name}`, "matches", text),
      questionAbout(`header ${name}`, "==", ""),
    ]),
  ];
  const at = (
    path: string,
    look: (request: IncomingRequest) => Verdict,
    predicates: readonly Predicate[],
  ): OwnPath => ({
    path,
    step,
    checks: [...admission, { look, predicates }],
  });
  return [
    at(`${OWN_PATHS}callback/${id}`, () => comingBack, []),
    at(`${OWN_PATHS}sign-out/${id}`, leaving, asked),
  ];
}

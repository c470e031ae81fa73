import type { AcceptedTokens, Predicate, RequestSession, RequestToken } from "../judgement/types";
import { canonical } from "../values";
import { apart, type Choice, choose, together } from "./choices";
import { claimsApart } from "./claims";

/**
 * One token for each combination of checks that accept it: an issuer's, signed with a key and an algorithm,
 * for an audience, at a place, with claims. Tokens that no check accepts are left out.
 */
export function tokensApart(checks: readonly AcceptedTokens[]): RequestToken[] {
  const issuers = apart(checks.map((check) => check.issuers));
  const algorithms = apart(checks.map((check) => check.algorithms));
  const keys = apart(checks.map((check) => check.keys));
  const locations = apart(checks.map((check) => check.locations));
  const audiences = together(apart(checks.map((check) => check.audiences)));
  const accepted = <T>(choices: readonly Choice<T>[]) => choices.filter(({ by }) => by.length > 0);
  const made = accepted(choose(issuers, algorithms, (issuer, algorithm) => ({ issuer, algorithm })));
  const signed = accepted(choose(made, keys, (token, key) => ({ ...token, keys: key })));
  const placed = accepted(choose(signed, locations, (token, at) => ({ ...token, at })));
  const whole = accepted(choose(placed, audiences, (token, all) => ({ ...token, audiences: all })));
  const claims = claimsApart(checks.map((check) => check.claims));
  const claimed = accepted(
    choose(whole, claims, (token, all) => ({ ...token, ...(all && { claims: all }) })),
  );
  return claimed.map(({ value }) => value);
}

type OfSession = Extract<Predicate, { dimension: "session" }>;

/**
 * One session for each client that checks ask for, and for each combination of the claims that they ask for.
 */
export function sessionsApart(checks: readonly OfSession[]): RequestSession[] {
  const clients = new Map<string, OfSession[]>();
  for (const check of checks) {
    const key = canonical([check.issuer, check.client_id]);
    clients.set(key, [...(clients.get(key) ?? []), check]);
  }
  return [...clients.values()].flatMap((checksOfClient) =>
    claimsApart(checksOfClient.map(({ claims }) => claims)).map(({ value: claims }) => ({
      issuer: checksOfClient[0]?.issuer ?? "",
      client_id: checksOfClient[0]?.client_id ?? "",
      ...(claims && { claims }),
    })),
  );
}

import { claimsApart } from "../access/claims";
import type { RequiredClaims } from "../judgement/rules/claims";
import { TooLarge } from "../languages";
import { canonical } from "../values";

/** A check of tokens or users. */
export interface WithClaims {
  readonly claims?: RequiredClaims;
}

/** Whether claims are newly admitted; "maybe" if that is too large to decide. */
export function isLoosened(was: WithClaims, is: WithClaims): boolean | "maybe" {
  if (canonical(was.claims) === canonical(is.claims) || !was.claims) return false;
  try {
    return claimsApart([was.claims, is.claims]).some(({ by }) => by.includes(1) && !by.includes(0));
  } catch (error) {
    if (error instanceof TooLarge) return "maybe";
    throw error;
  }
}

/** Whether two checks differ only in claims, and nobody is newly refused because of them. */
export const isOnlyLoosened = (was: WithClaims, is: WithClaims): boolean =>
  canonical({ ...was, claims: undefined }) === canonical({ ...is, claims: undefined }) &&
  isLoosened(was, is) === true &&
  isLoosened(is, was) === false;

import type { AcceptedTokens, RequestToken } from "../decision/types";
import { canonical } from "../values";

/**
 * One token for each combination of checks that accept it: an issuer's, signed with a key and an algorithm,
 * for an audience, at a place. Tokens that no check accepts are left out.
 */
export function tokensApart(checks: readonly AcceptedTokens[]): RequestToken[] {
  const issuers = apart(checks.map((check) => check.issuers));
  const algorithms = apart(checks.map((check) => check.algorithms));
  const keys = apart(checks.map((check) => check.keys));
  const places = apart(checks.map((check) => check.places));
  const audiences = together(apart(checks.map((check) => check.audiences)));
  const tokens = new Map<string, RequestToken>();
  for (const issuer of issuers)
    for (const algorithm of algorithms)
      for (const key of keys)
        for (const place of places)
          for (const audience of audiences) {
            const accepting = [issuer, algorithm, key, place, audience].reduce(
              (all, { by }) => all.filter((check) => by.includes(check)),
              checks.map((_, check) => check),
            );
            if (accepting.length === 0 || tokens.has(accepting.join())) continue;
            tokens.set(accepting.join(), {
              issuer: issuer.value,
              algorithm: algorithm.value,
              keys: key.value,
              at: place.value,
              audiences: audience.value,
            });
          }
  return [...tokens.values()];
}

interface Choice<T> {
  readonly value: T;
  /** The lists that hold it, by their numbers. */
  readonly by: readonly number[];
}

/** One value for each combination of lists that hold it. */
function apart<T>(lists: readonly (readonly T[])[]): Choice<T>[] {
  const choices = new Map<string, Choice<T>>();
  for (const value of lists.flat()) {
    const text = canonical(value);
    const by = lists.flatMap((list, number) => (list.some((one) => canonical(one) === text) ? number : []));
    if (!choices.has(by.join())) choices.set(by.join(), { value, by });
  }
  return [...choices.values()];
}

/** A token may have several audiences; one of them is enough for each check. */
function together(audiences: readonly Choice<string>[]): Choice<readonly string[]>[] {
  const found = new Map<string, Choice<readonly string[]>>();
  const open = audiences.map(({ value, by }) => ({ value: [value], by: [...by] }));
  for (const one of open) {
    if (found.has(one.by.join())) continue;
    found.set(one.by.join(), one);
    for (const other of audiences) {
      const by = [...new Set([...one.by, ...other.by])].sort((a, b) => a - b);
      open.push({ value: [...one.value, other.value], by });
    }
  }
  return [...found.values()];
}

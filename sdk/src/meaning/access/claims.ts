import { own } from "../../contract/core/narrow";
import { pathOfClaim } from "../../contract/formats/claim";
import {
  asksVerified,
  type Claims,
  type ClaimTest,
  claimTest,
  isClaimed,
  type RequiredClaims,
  VERIFIED,
} from "../judgement/rules/claims";
import { cellsOf, type Language } from "../languages";
import { isObject } from "../values";
import { type Choice, choose, distinct, together } from "./choices";

/** The values of claims: texts of all characters. */
const CLAIMS: Language = {
  characters: [
    [0, 0xd7ff],
    [0xe000, 0x10ffff],
  ],
  all: [],
  none: [],
  familiar: ["admin", "ann@example.com"],
};

/**
 * Claims, one for each combination of rules that they can meet together; `by` are the rules' numbers. All
 * claims meet a rule that asks for nothing.
 *
 * @throws {TooLarge} if texts are too large to tell apart
 */
export function claimsApart(rules: readonly (RequiredClaims | undefined)[]): Choice<Claims | undefined>[] {
  const all = rules.map((_, number) => number);
  const names = new Set(rules.flatMap((rule = {}) => Object.keys(rule)));
  if (names.size === 0) return [{ value: undefined, by: all }];
  if (rules.some((rule = {}) => asksVerified(rule))) names.add(VERIFIED);
  return [...names].reduce<Choice<Claims>[]>(
    (choices, name) =>
      choose(choices, valuesApart(name, rules), (claims, value) =>
        withValue(claims, pathOfClaim(name), value),
      ),
    [{ value: {}, by: all }],
  );
}

/** Values of one claim, none of it first. */
function valuesApart(name: string, rules: readonly (RequiredClaims | undefined)[]): Choice<unknown>[] {
  const texts = rules.map((rule = {}) => own(rule, name));
  const matching = (value: unknown): Choice<unknown> => ({
    value,
    by: texts.flatMap((accepted, rule) =>
      accepted === undefined || isClaimed(name, value, accepted) ? [rule] : [],
    ),
  });
  const met = ({ value, by }: Choice<unknown>): Choice<unknown> => {
    const isVerified = name !== VERIFIED || value === true;
    return { value, by: by.filter((rule) => isVerified || !asksVerified(rules[rule] ?? {})) };
  };
  const tests = texts.map((accepted = []) => accepted.map(claimTest));
  const cells = cellsOf(
    CLAIMS,
    tests.map((claimTests) => ({ any: claimTests.map(({ text }) => text) })),
  );
  const single = [...cells.map(({ text }) => text), true, false, ...numbersApart(tests.flat())].map(matching);
  return distinct(
    [matching(undefined), ...single, ...together(single).map(({ value }) => matching(value))].map(met),
  );
}

/** Every number that a test names, and one that none does. */
function numbersApart(tests: readonly ClaimTest[]): number[] {
  const named = tests.flatMap(({ other }) => (typeof other === "number" ? [other] : []));
  let unnamed = 0;
  while (named.includes(unnamed)) unnamed++;
  return [...named, unnamed];
}

/** Undefined if a value is in the way: a claim that is a text cannot contain another. */
function withValue(
  claims: Claims,
  [first = "", ...rest]: readonly string[],
  value: unknown,
): Claims | undefined {
  if (value === undefined) return claims;
  const present = own(claims, first);
  if (rest.length === 0) return present === undefined ? { ...claims, [first]: value } : undefined;
  if (present !== undefined && !isObject(present)) return undefined;
  const inner = withValue(present ?? {}, rest, value);
  return inner && { ...claims, [first]: inner };
}

import { own } from "../../../contract/core/narrow";
import { pathOfClaim } from "../../../contract/formats/claim";
import { isObject } from "../../values";
import { escapeRegex, finds } from "./patterns";
import { Unservable } from "./unservable";

/** Texts by the name of a claim, which must match one of them. */
export type RequiredClaims = Readonly<Record<string, readonly string[]>>;

export type Claims = Readonly<Record<string, unknown>>;

/** The values that a text of a rule matches. */
export interface ClaimTest {
  /** A text as it is, or an RE2 expression for the whole of it. */
  readonly text: { readonly exact: string } | { readonly regex: string };
  /** Besides texts: one number, true or false, or any of them. */
  readonly other?: number | boolean | "any";
}

/** The one name whose rule asks for more than the claim itself. */
const EMAIL = "email";
export const VERIFIED = "email_verified";

/** Whether a rule asks for a verified address. */
export const asksVerified = (required: RequiredClaims): boolean => Object.hasOwn(required, EMAIL);

export function claimTest(text: string): ClaimTest {
  if (/^\*+$/.test(text)) return { text: { regex: "[^@]*" }, other: "any" };
  if (text.includes("*")) return { text: { regex: text.split(/\*+/).map(escapeRegex).join("[^@]*") } };
  if (text === "true" || text === "false") return { text: { exact: text }, other: text === "true" };
  const number = Number(text);
  // Larger numbers lose digits on their way through JSON.
  const isNumber = String(number) === text && Math.abs(number) <= Number.MAX_SAFE_INTEGER;
  return { text: { exact: text }, ...(isNumber && { other: number }) };
}

/** The value of a claim; undefined if there is none. */
export const claimIn = (claims: Claims, name: string): unknown =>
  pathOfClaim(name).reduce<unknown>(
    (inside, part) => (isObject(inside) ? own(inside, part) : undefined),
    claims,
  );

/** Claims that are lists of words with spaces between (RFC 8693 section 4.2); Entra calls it `scp`. */
export const WORDS: readonly string[] = ["scope", "scp"];

/** Whether a claim's value, an entry of a list, or one of its words matches one of these texts. */
export function isClaimed(name: string, value: unknown, texts: readonly string[]): boolean {
  const values = entriesOf(name, value);
  return texts.some((text) => {
    const test = claimTest(text);
    return values.some((entry) => matches(entry, test));
  });
}

function entriesOf(name: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === "string" && WORDS.includes(name)
    ? value.split(" ").filter((word) => word !== "")
    : [value];
}

function matches(value: unknown, { text, other }: ClaimTest): boolean {
  if (typeof value === "number" || typeof value === "boolean") return other === "any" || value === other;
  if (typeof value !== "string") return false;
  return "exact" in text ? value === text.exact : finds(`\\A(?:${text.regex})\\z`, value);
}

/** The first claim that is not as required; undefined if all are. */
export function lackingClaim(claims: Claims, required: RequiredClaims): string | undefined {
  const lacking = Object.entries(required).find(
    ([name, texts]) => !isClaimed(name, claimIn(claims, name), texts),
  );
  if (lacking) return lacking[0];
  return asksVerified(required) && claimIn(claims, VERIFIED) !== true ? VERIFIED : undefined;
}

/** @throws Unservable for a claim that nothing could match */
export function refuseClaims(module: string, required: RequiredClaims): void {
  const empty = Object.entries(required).find(([, texts]) => texts.length === 0);
  if (empty)
    throw new Unservable(
      `require_claims of ${module} names no text for the claim ${JSON.stringify(empty[0])}, so that nobody could pass: name one, or leave the claim out`,
    );
}

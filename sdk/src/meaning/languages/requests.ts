import { METHODS as TAKEN } from "../judgement/rules/methods";
import { escapeRegex } from "../judgement/rules/patterns";
import type { Range } from "./alphabet";
import type { Language, TextTest } from "./cells";

/** Visible ASCII characters of a kind, as ranges. */
function visible(is: (character: string) => boolean): Range[] {
  const ranges: [number, number][] = [];
  for (let code = 0x21; code <= 0x7e; code++) {
    if (!is(String.fromCharCode(code))) continue;
    const last = ranges.at(-1);
    if (last?.[1] === code - 1) last[1] = code;
    else ranges.push([code, code]);
  }
  return ranges;
}

/**
 * Paths in normal form, without a query. Gateways bring every other path into this form before they decide,
 * or refuse it (400) whatever is declared.
 */
export const PATHS: Language = {
  characters: visible((character) => !"\\?#;".includes(character)),
  all: [{ prefix: "/" }],
  none: [
    // An empty segment, and "." or "..".
    { regex: "//|/[.][.]?(?:/|\\z)" },
    // An encoded slash, backslash or semicolon is refused; characters that need no code arrive without one.
    { regex: "(?i)%(?:2f|5c|3b)" },
    { regex: "(?i)%(?:2d|2e|5f|7e|3[0-9]|4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a])" },
  ],
  familiar: ["/"],
};

/** The paths that a route takes, without those that other routes take first. */
export const pathsOf = (route: RouteMatch, closer: readonly RouteMatch[]): Language => ({
  ...PATHS,
  all: [...PATHS.all, testOf(route)],
  none: [...PATHS.none, ...closer.map(testOf)],
  familiar: [route.path],
});

/** The match of a route. */
export interface RouteMatch {
  readonly path: string;
  readonly exact: boolean;
}
const testOf = ({ path, exact }: RouteMatch): TextTest => (exact ? { exact: path } : { prefix: path });

/** Values of headers (RFC 9110 section 5.5). A header that is absent reads as an empty text. */
export const HEADER_VALUES: Language = {
  characters: [
    [0x09, 0x09],
    [0x20, 0x7e],
    [0x80, 0xd7ff],
    [0xe000, 0x10ffff],
  ],
  all: [],
  none: [{ regex: "\\A[ \\t]|[ \\t]\\z" }],
  familiar: [""],
};

export const USER_AGENTS: Language = {
  ...HEADER_VALUES,
  familiar: ["curl/8.5.0", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", ""],
};

/** Gateways refuse every other method (400) whatever is declared. */
export const METHODS: Language = {
  characters: visible((character) => /[A-Z]/.test(character)),
  all: [{ any: TAKEN.map((exact) => ({ exact })) }],
  none: [],
  familiar: TAKEN,
};

/** Names one label below a domain, in lower case, as a wildcard hostport covers them. */
export const namesBelow = (domain: string, but: readonly string[]): Language => ({
  characters: visible((character) => /[a-z0-9._-]/.test(character)),
  all: [{ regex: `\\A[^.]+${escapeRegex(`.${domain}`)}\\z` }],
  none: but.map((exact) => ({ exact })),
  familiar: ["www", "app"].map((label) => `${label}.${domain}`),
});

/** Only one name. */
export const onlyName = (exact: string): Language => ({
  characters: visible(() => true),
  all: [{ exact }],
  none: [],
  familiar: [exact],
});

import { remembering } from "../../../contract/core/once";
import { ENCODED_NEEDLESSLY, mistakeInPath } from "../../../contract/formats/http";
import { Unservable } from "./unservable";

/** Whether a character is encoded (`%61`) that Envoy decodes before it matches. */
export const isNeedlesslyEncoded = (code: string): boolean =>
  code.length === 3 && ENCODED_NEEDLESSLY.test(code);

/** Encoded characters that gateways refuse, because servers disagree about them. */
export const isRefused = (code: string): boolean => /^%(2f|5c|3b)$/i.test(code);

/** Whether paths may hold a character. Semicolons are refused wherever a path is matched. */
export const isOfPaths = (character: string): boolean =>
  /^[\x21-\x7e]$/.test(character) && !"\\?#;".includes(character);

/** Refuses the path of a route that no request can have: objects in files are not checked by the contract. */
export function refuseUnreachable(path: string): void {
  const mistake = mistakeInPath(path);
  if (mistake !== undefined) throw new Unservable(`the path ${path} of a route ${mistake}`);
}

/** Paths that are in normal form already: no dots, codes or doubled slashes, and nothing to look twice at. */
const PLAIN = /^(?:\/(?![./])[\w\-.~!$&'()*+,=:@]*)+$/;
const DOTS = /^\.{1,2}(?:;|$)/;

const MAX_KNOWN = 10_000;

/**
 * A path of a request in the form in which Envoy matches it, without its query; undefined for one that is
 * answered with 400.
 */
export const normalForm = remembering(MAX_KNOWN, (sent: string): string | undefined =>
  PLAIN.test(sent) ? sent : formOf(sent, REFUSED),
);

/** The same on an edge that keeps encoded slashes. */
export const normalFormKeeping = (sent: string): string | undefined => formOf(sent, REFUSED_EVERYWHERE);

const REFUSED_EVERYWHERE = /[^\x21-\x7e…]|%00/;
const REFUSED = /[^\x21-\x7e…]|%(?:2f|5c|00)/i;

/** Why an edge that keeps encoded slashes is refused. */
export const KEEPS_SLASHES =
  'is "keep", but a route, a policy or a rewrite depends on the path, and applications may read such a path in another way: have one route for the prefix "/" and no policy about `req.path`, or choose "reject"';

/** @throws Unservable for an edge that keeps encoded slashes, and decides by paths that may hold them */
export function refuseKeptSlashes(): never {
  throw new Unservable(`\`escaped_slashes\` ${KEEPS_SLASHES}`);
}

function formOf(sent: string, refused: RegExp): string | undefined {
  const path = sent.split("?", 1)[0] ?? "";
  if (!path.startsWith("/") || refused.test(path) || sent.includes("#")) return undefined;
  const whole = path
    .replace(/\\/g, "/")
    .replace(/%[0-9a-f]{2}/gi, (code) =>
      isNeedlesslyEncoded(code) ? String.fromCharCode(Number.parseInt(code.slice(1), 16)) : code,
    );
  const kept: string[] = [];
  const segments = whole.slice(1).split("/");
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1;
    if (!DOTS.test(segment)) kept.push(segment);
    else {
      if (segment.startsWith("..")) kept.pop();
      if (isLast) kept.push("");
    }
  }
  return `/${kept.join("/")}`.replace(/\/{2,}/g, "/");
}

/**
 * Some servers cut a path off here, so that it would be one path at the gateway and another one behind it.
 */
export const holdsSemicolon = (path: string): boolean => /;|%3b/i.test(path);

import { Unservable } from "./model";

/** Paths below this one are the gateway's own. */
export const OWN_PATHS = "/.tunnelplane/";

/** Whether a character is encoded (`%61`) that Envoy decodes before it matches. */
export const isNeedlesslyEncoded = (code: string): boolean => /^%(2d|2e|5f|7e|3\d|4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a])$/i.test(code);

/** Encoded characters that Envoy refuses, because servers disagree about them. */
export const isRefused = (code: string): boolean => /^%(2f|5c|3b)$/i.test(code);

/** Whether paths may hold a character. Semicolons are refused wherever a path is matched. */
export const isOfPaths = (character: string): boolean => /^[\x21-\x7e]$/.test(character) && !"\\?#;".includes(character);

/** Paths arrive in one form; a route for another form would never be taken, and a shorter one with fewer checks would. */
export function refuseUnreachable(path: string): void {
  if (path.startsWith(OWN_PATHS)) throw new Unservable(`the route ${path} is below ${OWN_PATHS}, which is the gateway's own`);
  const codes = path.match(/%[0-9a-f]{2}/gi) ?? [];
  if (
    /\/\/|\/\.{1,2}(\/|$)|%[0-9a-f]?$/i.test(path) ||
    ![...path].every(isOfPaths) ||
    codes.some((code) => isRefused(code) || isNeedlesslyEncoded(code))
  )
    throw new Unservable(
      `the route ${path} is not in the form in which paths arrive (no empty segments, dots, backslashes, semicolons or queries, nothing encoded that need not be), so that no request would take it`,
    );
}

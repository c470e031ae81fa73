import { complainAboutPath, ENCODED_NEEDLESSLY } from "@tunnelplane/sdk/contract";
import { Unservable } from "./model";

/** Whether a character is encoded (`%61`) that Envoy decodes before it matches. */
export const isNeedlesslyEncoded = (code: string): boolean =>
  code.length === 3 && ENCODED_NEEDLESSLY.test(code);

/** Encoded characters that gateways refuse, because servers disagree about them. */
export const isRefused = (code: string): boolean => /^%(2f|5c|3b)$/i.test(code);

/** Whether paths may hold a character. Semicolons are refused wherever a path is matched. */
export const isOfPaths = (character: string): boolean =>
  /^[\x21-\x7e]$/.test(character) && !"\\?#;".includes(character);

/** Refuses the path of a route that was stored before the contract refused it. */
export function refuseUnreachable(path: string): void {
  const complaint = complainAboutPath(path);
  if (complaint !== undefined) throw new Unservable(`the path ${path} of a route ${complaint}`);
}

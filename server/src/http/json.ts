import { quoted, RequestError } from "../util";
import { locationOfMistake } from "./jsonMistake";

/**
 * Reads JSON in which each object names its fields once. Of two fields with one name, some programs take the
 * first and some the last (RFC 8259 section 4), so a check in front of the server could see another value
 * than the server.
 *
 * @param location of the text in the body, for errors; it ends with a colon and a space
 */
export function parseJson(text: string, location = ""): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RequestError(
      "malformed_json",
      `The body is not valid JSON: ${location}${locationOfMistake(text)}`,
    );
  }
  const repeated = repeatedName(text);
  if (repeated)
    throw new RequestError(
      "malformed_json",
      `The body names a field twice: ${location}${quoted(repeated.name)} stands in one object before character ${repeated.at + 1} already; send it once`,
    );
  return value;
}

const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a];
const [OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * The first name that stands twice in one object. The text must be JSON. Reads it once, and does not recurse.
 */
function repeatedName(text: string): { readonly name: string; readonly at: number } | undefined {
  // The names of each open object; undefined for a list.
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === OPEN) open.push(new Set());
    else if (code === OPEN_LIST) open.push(undefined);
    else if (code === CLOSE || code === CLOSE_LIST) open.pop();
    else if (code === QUOTE) {
      const end = endOfText(text, at);
      if (isName(text, end + 1)) {
        const name: string = JSON.parse(text.slice(at, end + 1));
        const names = open.at(-1);
        if (names?.has(name)) return { name, at };
        names?.add(name);
      }
      at = end;
    }
  }
  return undefined;
}

function isName(text: string, after: number): boolean {
  let at = after;
  while (text.charCodeAt(at) <= 0x20) at++;
  return text.charCodeAt(at) === COLON;
}

/**
 * The location of the quote that ends a string: one with an even number of backslashes before it.
 * @param text JSON, as text or as its bytes
 */
export function endOfText(text: string | Buffer, begin: number): number {
  for (let end = quoteAfter(text, begin); end >= 0; end = quoteAfter(text, end)) {
    let backslashes = 0;
    while (codeAt(text, end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

const quoteAfter = (text: string | Buffer, at: number): number =>
  typeof text === "string" ? text.indexOf('"', at + 1) : text.indexOf(QUOTE, at + 1);

const codeAt = (text: string | Buffer, at: number): number | undefined =>
  typeof text === "string" ? text.charCodeAt(at) : text[at];

import { isNeedlesslyEncoded } from "./paths";
import { programOf, searching } from "./patterns";
import type { Action } from "./policies";
import { type Piece, staysInForm } from "./rewriteForm";
import { rememberingRefusals, Unservable } from "./unservable";

/** Envoy's `regex_rewrite`. */
export interface Rewrite {
  readonly pattern: { readonly regex: string };
  readonly substitution: string;
}

/** Envoy's rewrite for a `url-rewrite`: only of the path, and always into a path in normal form. */
export const rewriteOf = ({ config }: Action): Rewrite =>
  made(JSON.stringify([String(config.from), String(config.to)]));

const made = rememberingRefusals((fromAndTo): Rewrite => {
  const [from, to]: [string, string] = JSON.parse(fromAndTo);
  searching(from);
  if (/\\\?|\[[^\]]*\?/.test(from) || to.includes("?"))
    throw new Unservable(
      "a url-rewrite reads or writes the query; Envoy rewrites the path, and leaves the query as it is",
    );
  const { program, groups } = programOf(from);
  const pieces = piecesOf(to);
  const missing = pieces.find((piece) => typeof piece === "number" && piece > groups);
  if (missing !== undefined)
    throw new Unservable(
      `a url-rewrite writes $${missing}, but its pattern ${JSON.stringify(from)} has no such group`,
    );
  // A text without a slash at its beginning gets one, if that makes the result a path.
  const good = [pieces, ["/", ...pieces]].find((candidate) => staysInForm(program, candidate));
  if (!good)
    throw new Unservable(
      `a url-rewrite from ${JSON.stringify(from)} to ${JSON.stringify(to)} may make a path that holds "//", or "." or ".." between slashes, or that begins with no slash: let patterns and groups begin and end at slashes, as "^/old/(.*)$" and "/new/$1" do`,
    );
  const substitution = good.map((piece) => (typeof piece === "number" ? `\\${piece}` : piece)).join("");
  return { pattern: { regex: from }, substitution };
});

function piecesOf(to: string): Piece[] {
  return [...to.matchAll(/\$\{(\d)\}|\$(\d)|\$\$?|[^$]+/g)].map(([text, braced, plain]) => {
    const group = braced ?? plain;
    return group === undefined ? inForm(text === "$$" ? "$" : text) : Number(group);
  });
}

/** A text in the form of paths: characters that must be encoded are, and no others. */
const inForm = (text: string): string =>
  text
    .replace(/[^\x21-\x7e]+/gu, encodeURIComponent)
    .replace(/%[0-9a-f]{2}/gi, (code) =>
      isNeedlesslyEncoded(code) ? String.fromCharCode(Number.parseInt(code.slice(1), 16)) : code,
    )
    .replace(/\/\.(?=\/)/g, "");

import { z } from "zod";
import { conditioned, MAX_ENTRIES, map, text } from "../core/fields";

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/**
 * Headers that frame a message or choose a host (RFC 9110 section 7.6.1, RFC 9112): Envoy writes them itself.
 */
const FRAMING = new Set([
  "connection",
  "content-length",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
const MAX_COOKIE_PREFIX_LENGTH = 64;
/** In bytes. */
export const MAX_PATH_LENGTH = 1024;
/** Envoy takes 16 KiB, where each % counts twice. */
export const MAX_VALUE_LENGTH = 8192;
export const MAX_WEBHOOK_HEADERS = 20;
/** For the descriptions of fields that hold headers. */
export const HEADER_LIMITS = `Names and values as in RFC 9110, a value of at most ${MAX_VALUE_LENGTH} bytes; not ${[...FRAMING].join(", ")}.`;
/** Paths below this one are the gateway's own. */
export const OWN_PATHS = "/.tunnelplane/";

const MAX_METHOD_LENGTH = 32;

/** The method of a request (RFC 9110 section 9.1); upper and lower case differ. */
export const method = () =>
  conditioned(text(MAX_METHOD_LENGTH), (value) =>
    TOKEN.test(value) ? undefined : "is not a method of a request, such as GET",
  ).meta({ examples: ["GET"] });

/** The mistake in the name of a header; undefined if it is valid (RFC 9110 section 5.1). */
export const mistakeInHeader = (name: string): string | undefined =>
  TOKEN.test(name) ? undefined : "is not a name of an HTTP header";

const WRITTEN = "is a header that the gateway writes itself; leave it out";

/** The reason why a response may not have this header; undefined if it may. */
export function mistakeInResponseHeader(name: string): string | undefined {
  if (!FRAMING.has(name.toLowerCase())) return mistakeInHeader(name);
  return WRITTEN;
}

/** Headers by which a gateway tells backends who the caller is, and those that are its own. */
const OF_CALLERS = /^(?:x-forwarded-|x-envoy-|x-tunnelplane-|x-real-ip$|forwarded$)/;

/**
 * The reason why a request to a backend may not get or lose this header; undefined if it may. Many backends
 * (CGI, WSGI, Rack) cannot tell `_` from `-`, so neither does this.
 */
export function mistakeInRequestHeader(name: string): string | undefined {
  const read = name.toLowerCase().replaceAll("_", "-");
  if (OF_CALLERS.test(read))
    return "says who the caller is, and the gateway writes it itself; choose another name";
  return FRAMING.has(read) ? WRITTEN : mistakeInHeader(name);
}

/** The mistake if a header's value has control characters; undefined if it has none. */
export const mistakeInControls = (value: string): string | undefined =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the rule is about them
  /[\u0000-\u0008\u000a-\u001f\u007f]/.test(value)
    ? "must not hold a line break or another control character"
    : undefined;

/** The mistake in the value of a header; undefined if it is valid (RFC 9110 section 5.5). */
export function mistakeInHeaderValue(value: string): string | undefined {
  if (/^[ \t]|[ \t]$/.test(value)) return "must not begin or end with a space or a tab";
  return mistakeInControls(value);
}

type MistakeInName = (name: string) => string | undefined;

const headerName = (mistakeIn: MistakeInName) => conditioned(text(255, "characters"), mistakeIn);

/** Headers: texts by name, each name once in whatever case. */
const headersWith = (mistakeIn: MistakeInName, mistakeInValue = mistakeInHeaderValue, limit = MAX_ENTRIES) =>
  conditioned(
    map(headerName(mistakeIn), conditioned(text(MAX_VALUE_LENGTH), mistakeInValue), limit),
    (headers) => repeatedIn(Object.keys(headers)),
  );

function repeatedIn(names: readonly string[]): string | undefined {
  const lower = names.map((name) => name.toLowerCase());
  const repeated = lower.find((name, index) => lower.indexOf(name) < index);
  return repeated && `holds the header ${repeated} more than once, in upper and lower case; name it once`;
}

/** Headers of a request as a caller sends it. Without its host. */
export const sentHeaders = () =>
  headersWith((name) => (name.toLowerCase() === "host" ? "is the field `host`" : mistakeInHeader(name)));

/** Headers that the server sends with each event to a webhook. */
export const webhookHeaders = () =>
  headersWith(
    (name) =>
      FRAMING.has(name.toLowerCase()) || /^(?:content-|webhook-|expect$)/i.test(name)
        ? "is a header that the server writes itself; leave it out"
        : mistakeInHeader(name),
    (value) =>
      /^[\t -~]*$/.test(value)
        ? mistakeInHeaderValue(value)
        : "must hold letters, digits and signs of ASCII only",
    MAX_WEBHOOK_HEADERS,
  );

/** Headers of a response that the gateway gives. */
export const responseHeaders = () => headersWith(mistakeInResponseHeader);

/** Headers of a request that the gateway passes on. */
export const requestHeaders = () => headersWith(mistakeInRequestHeader);

/** Names of headers that a route takes away from each answer. */
export const responseHeaderNames = () => namesWith(mistakeInResponseHeader);

/** Names of headers that the gateway takes away from a request. */
export const requestHeaderNames = () => namesWith(mistakeInRequestHeader);

const namesWith = (mistakeIn: MistakeInName) =>
  conditioned(z.array(headerName(mistakeIn)).max(MAX_ENTRIES), repeatedIn);

/** The status of a response that the gateway gives itself. A status below 200 ends no request. */
export const responseStatus = () => z.int().min(200).max(599);

/** The beginning of a cookie's name: a token of RFC 6265 section 4.1.1, or "" for the default. */
export const cookiePrefix = () =>
  conditioned(text(MAX_COOKIE_PREFIX_LENGTH), (prefix) =>
    prefix === "" || TOKEN.test(prefix)
      ? undefined
      : "cannot begin the name of a cookie: use letters, digits, - and _, without spaces",
  );

/** A character that is encoded, though gateways decode it before they match. */
export const ENCODED_NEEDLESSLY = /%(2d|2e|5f|7e|3\d|4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a])/i;

/**
 * The mistake in a path that no request can have; undefined if requests can have it. Gateways bring paths
 * into one form before they choose a route, so a route for another form would never be taken, and a shorter
 * one with fewer checks would.
 */
export function mistakeInPath(path: string): string | undefined {
  if (!path.startsWith("/")) return 'must begin with "/"';
  if (path.startsWith(OWN_PATHS))
    return `is below ${OWN_PATHS}, which is the gateway's own; choose another path`;
  if (/[?#]/.test(path)) return "must be only a path: leave out what begins with ? or #";
  if (/\/\/|\/\.{1,2}(\/|$)/.test(path)) return 'must have no empty segment, and none that is "." or ".."';
  if (/[\\;]|%2f|%5c|%3b/i.test(path))
    return "must hold no backslash, no semicolon and no slash in its encoded form, because gateways refuse such paths";
  if (/[^\x21-\x7e]/.test(path))
    return 'must be ASCII without spaces: encode the rest, for example "%C3%A9" for "é"';
  if (/%(?![0-9a-f]{2})/i.test(path))
    return 'has a "%" without two hexadecimal digits after it: write "%25" for "%"';
  return ENCODED_NEEDLESSLY.test(path)
    ? 'encodes a letter, a digit or one of "-._~", which arrive as they are: write them plainly'
    : undefined;
}

/** The path that a route matches, in normal form (RFC 3986 section 6.2.2). */
export const routePath = () => conditioned(text(MAX_PATH_LENGTH), mistakeInPath);

import { mistakeInControls, mistakeInHeader } from "../contract/formats/http";
import { mistakeInAddress, mistakeInMethod, mistakeInTarget } from "../contract/formats/request";
import { isHostport } from "../meaning/judgement/rules/names";
import { type DecisionRequest, UNRECORDED } from "../meaning/judgement/types";
import { sourceOf } from "../meaning/networks/source";
import type { AskedOptions } from "./options";

/** A request without the caller's certificate: which authority signed that depends on the stored objects. */
export type Question = Omit<DecisionRequest, "client_certificate">;

/** The question is not a valid request. */
export class QuestionError extends Error {}

/**
 * For each scheme of an address: the version of TLS, whether HTTP is spoken, and the port that it implies.
 */
const SCHEMES: Readonly<Record<string, Scheme>> = {
  https: { tls: "1.3", http: true, port: 443 },
  http: { tls: null, http: true, port: 80 },
  tls: { tls: "1.3", http: false, port: 443 },
  tcp: { tls: null, http: false },
};

interface Scheme {
  readonly tls: "1.3" | null;
  readonly http: boolean;
  readonly port?: number;
}

const EXAMPLE = "such as https://app.example.com/admin";

/**
 * Reads a question of a command line.
 * @param words a method and an address, or only the address
 * @throws QuestionError if it is not a valid request
 */
export function questionIn(words: readonly string[], options: AskedOptions): Question {
  const address = words.at(-1) ?? "";
  const method = words.length > 1 ? words[0] : undefined;
  const mistake = method !== undefined && mistakeInMethod(method);
  if (mistake) throw new QuestionError(`${quoted(method)} ${mistake}; write: METHOD ADDRESS`);
  if (sourceOf(options.from) === undefined)
    throw new QuestionError(
      `--from ${quoted(options.from)} is not an IP address, such as 198.51.100.7, and no network in CIDR notation`,
    );
  const { host, ...headers } = headersIn(options.header);
  return {
    ...placeIn(address, method),
    ...(host !== undefined && { host }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(options.userAgent !== undefined && { user_agent: options.userAgent }),
    from: options.from,
    token: options.tokenOf === undefined ? null : { issuer: options.tokenOf },
    session: options.session ? {} : null,
    ...(options.webhook && { webhook: "valid" as const }),
  };
}

function placeIn(
  text: string,
  method: string | undefined,
): Pick<Question, "address" | "tls" | "method" | "path"> {
  const [, name = "", authority = "", rest = ""] = /^([a-z0-9+.-]+):\/\/([^/?#]*)([^#]*)/i.exec(text) ?? [];
  const scheme = Object.hasOwn(SCHEMES, name.toLowerCase()) ? SCHEMES[name.toLowerCase()] : undefined;
  if (!scheme)
    throw new QuestionError(`${quoted(text)} is not an address of a request, ${EXAMPLE}${meant(text)}`);
  const address = hostportIn(text, authority, scheme);
  if (scheme.http) return { address, tls: scheme.tls, method: method ?? "GET", path: pathIn(text, rest) };
  if (rest !== "" && rest !== "/")
    throw new QuestionError(`${quoted(text)} has a path, which connections have with https:// only`);
  // If the edge does read HTTP, the answer may depend on parts that this address cannot name.
  return { address, tls: scheme.tls, method: method ?? UNRECORDED, path: UNRECORDED };
}

function hostportIn(text: string, authority: string, { port: usual, tls }: Scheme): string {
  const [, host = "", port = ""] = /^(.*?)(?::(\d*))?$/.exec(authority) ?? [];
  const address = `${inAscii(host)}:${port || (usual ?? "")}`;
  // A TCP edge may have an IP address for a name; TLS asks for names.
  if (mistakeInAddress(address) === undefined && (tls === null || isHostport(address))) return address;
  if (isHostport(address))
    throw new QuestionError(`${quoted(text)} stands for many names: ask about one of them, ${EXAMPLE}`);
  throw new QuestionError(
    port === "" && usual === undefined
      ? `${quoted(text)} lacks a port: write tcp://HOST:PORT`
      : `${quoted(text)} is not an address of a request: expected a domain name, and a port from 1 to 65535 if any, ${EXAMPLE}`,
  );
}

/** A name as TLS has it: in lower case, and with its labels of other scripts in ASCII (RFC 5891). */
function inAscii(host: string): string {
  if (/^[\x21-\x7e]*$/.test(host)) return host.toLowerCase();
  const url = `https://${host}/`;
  return URL.canParse(url) ? new URL(url).hostname : host;
}

/**
 * The path as it is sent: nothing is resolved, and characters outside of ASCII are percent-encoded (RFC
 * 3986).
 */
function pathIn(text: string, rest: string): string {
  const path = rest.startsWith("/") ? rest : `/${rest}`;
  const mistake = mistakeInTarget(path);
  if (mistake) throw new QuestionError(`${quoted(text)} ${mistake}`);
  return path.replace(/[^\x21-\x7e]+/g, encodeURIComponent);
}

function headersIn(lines: readonly string[] = []): Record<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name = "", value = ""] = /^([^:]*):[ \t]*(.*)$/s.exec(line) ?? [];
    if (mistakeInHeader(name))
      throw new QuestionError(`--header ${quoted(line)} is not a header: write 'name: value'`);
    const mistake = mistakeInControls(value);
    if (mistake) throw new QuestionError(`--header ${quoted(line)} ${mistake}`);
    const key = name.toLowerCase();
    if (headers.has(key)) throw new QuestionError(`--header gives ${key} twice: write both values in one`);
    headers.set(key, value.trimEnd());
  }
  return Object.fromEntries(headers);
}

/** A hint for somebody who wrote an address as exposures do. */
function meant(text: string): string {
  const url = `https://${text}`;
  return /^[^/:\s]+\.[^/:\s]+(:\d+)?(\/|$)/.test(text) ? `: did you mean ${quoted(url)}?` : "";
}

const MAX_LENGTH = 100;

const quoted = (text: string): string =>
  JSON.stringify(text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text);

import { OWN_PATHS } from "../../contract/formats/http";
import { targetText } from "../judgement/backends/targetText";
import { type Decision, type DecisionRequest, UNRECORDED } from "../judgement/types";
import { code, quotable } from "../names";
import type { Example, Opened } from "./changes";
import type { AccessComparison } from "./comparison";

/** What an authority is called, by its id. */
export type Naming = (authority: string) => string;

const asItIs: Naming = (authority) => authority;

/** "`GET /admin` from 198.51.100.7 without a token: 403 → 200" */
export function exampleText({ request, before, after }: Example, name: Naming = asItIs): string {
  const { method = "GET", path = "/" } = request;
  const text = requestText(`${method} ${path}`, request, [before, after], name);
  return `${text}: ${turnText(before, after)}`;
}

/** "`GET app.example.com:443/admin` from 198.51.100.7 without a token: 401 → 200" */
export function changeText({ request, before, after }: Example, name: Naming = asItIs): string {
  const text = requestText(askedAt(request), request, [before, after], name);
  return `${text}: ${turnText(before, after)}`;
}

/** "`GET app.example.com:443/admin` from 198.51.100.7 without a token: 401" */
export function decidedText(request: DecisionRequest, decision: Decision, name: Naming = asItIs): string {
  return `${requestText(askedAt(request), request, [decision], name)}: ${endText(decision)}`;
}

const askedAt = ({ method = "GET", address, path = "/" }: DecisionRequest): string =>
  `${method} ${address}${path}`;

/** @param asked the address and path, if it is an HTTP request */
function requestText(
  asked: string,
  request: DecisionRequest,
  decisions: readonly Decision[],
  name: Naming,
): string {
  const { address, from, headers = {}, user_agent, tls } = request;
  const { client_certificate: certificate, token, session, webhook } = request;
  const isHttp = decisions.some(
    ({ status, address: taken }) => status !== null || taken?.includes("/") === true,
  );
  return [
    isHttp ? quoted(asked) : `a connection to ${quoted(address)}`,
    `from ${from}`,
    tls && tls !== UNRECORDED && `over TLS ${tls}`,
    typeof certificate === "object" &&
      certificate &&
      `with a client certificate of ${ofWhom(certificate, name)}`,
    token === "invalid" && "with a token that nobody accepts",
    typeof token === "object" && token && `with a token of ${quoted(token.issuer ?? "any issuer")}`,
    typeof session === "object" && session && `signed in with ${quoted(session.issuer ?? "any issuer")}`,
    webhook === "valid" && "signed by the service",
    ...(typeof headers === "object" ? Object.entries(headers) : []).map(
      ([header, value]) => `with ${quoted(`${header}: ${value}`)}`,
    ),
    user_agent && user_agent !== UNRECORDED && `as ${quoted(user_agent)}`,
    decisions.map((decision) => withoutText(request, decision)).find((text) => text !== undefined),
  ]
    .filter(Boolean)
    .join(" ");
}

const ofWhom = ({ authority }: { readonly authority: string }, name: Naming): string =>
  authority === "other" ? "another authority" : quoted(name(authority));

/** For each module, the field of a request that it asks for, and words for a request without it. */
const LACKING = new Map<string, readonly [keyof DecisionRequest, string]>([
  ["jwt_validation", ["token", "without a token"]],
  ["mutual_tls", ["client_certificate", "without a client certificate"]],
  ["oidc", ["session", "without signing in"]],
  ["webhook_verification", ["webhook", "without a signature"]],
]);

/** Words for what the caller lacks, if the request is refused for that reason. */
function withoutText(request: DecisionRequest, { by, outcome }: Decision): string | undefined {
  const [field, text] = LACKING.get(by?.field ?? "") ?? [];
  return field && outcome !== "answered" && !request[field] ? text : undefined;
}

/** "401 → 200"; where both end alike, what answers: "answered by `a` → answered by `b`". */
function turnText(before: Decision, after: Decision): string {
  const [was, is] = [endText(before), endText(after)];
  if (was !== is) return `${was} → ${is}`;
  for (const by of ANSWERING) {
    const [from, to] = [by(before), by(after)];
    if (from !== to) return `${was} by ${from} → ${is} by ${to}`;
  }
  return `${is}, as before`;
}

/** What may have answered, the most telling first. */
const ANSWERING: readonly ((decision: Decision) => string)[] = [
  ({ goes_to: to }) => (to ? targetText(to) : "no backend"),
  ({ address }) => (address === null ? "nothing declared" : quoted(address)),
  ({ by }) => (by ? quoted(by.name) : "nothing declared"),
];

const endText = ({ status, outcome }: Decision): string =>
  outcome === "sign_in" ? "sign-in" : String(status ?? outcome);

const MAX_LENGTH = 200;

const quoted = (text: string): string => code(quotable(text, MAX_LENGTH));

/** The requests that a change lets in, in one line. */
export function verdictText(access: Omit<AccessComparison, "sentence">, name: Naming): string {
  const { verdict, opened, unproved } = access;
  const unsure = unproved.length > 0 ? [`Not proved at ${unprovedText(access)}.`] : [];
  if (verdict === "opens nothing" && access.addresses === 0)
    return "Opens nothing: no address is served otherwise.";
  if (verdict === "opens nothing")
    return `Opens nothing (proved over ${counted(access.combinations, "combination", "combinations")} at ${counted(access.addresses, "address", "addresses")}).`;
  if (verdict === "unproved")
    return `Nothing was found to open, but that is not proved at ${unprovedText(access)}.`;
  const known = opened.filter((entry) => !entry.new);
  const fresh = new Set(opened.filter((entry) => entry.new).map(({ address }) => address)).size;
  const news = fresh > 0 ? [counted(fresh, "new address", "new addresses")] : [];
  const [first] = known.toSorted((a, b) => weightOf(b) - weightOf(a));
  if (!first) return [`Opens ${news.join("")}, and nothing that was closed.`, ...unsure].join(" ");
  const more =
    known.length > 1 ? ` (and more at ${counted(known.length - 1, "other address", "other addresses")})` : "";
  return [
    `Opens: ${exampleText(first.example, name)}${more}.`,
    ...news.map((text) => `Opens ${text} besides.`),
    ...unsure,
  ].join(" ");
}

const counted = (count: number, singular: string, several: string): string =>
  `${count.toLocaleString("en-US")} ${count === 1 ? singular : several}`;

/** Requests that everybody may send weigh most, and those to the gateway's own paths least. */
const weightOf = ({ everyone, example: { request } }: Opened): number =>
  Number(everyone) + (request.path?.startsWith(OWN_PATHS) ? 0 : 2);

function unprovedText({ unproved }: Pick<AccessComparison, "unproved">): string {
  const addresses = new Set(unproved.map(({ address }) => address)).size;
  const [first] = unproved;
  if (!first) return "";
  const reason = first.reason.replace(/\.$/, "");
  return `${counted(addresses, "address", "addresses")}: ${quoted(first.address)} (${reason})${addresses > 1 ? " and others" : ""}`;
}

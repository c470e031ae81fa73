import { type Condition, escapeRegex, holds, type Input, searching, type Test } from "@tunnelplane/sdk/rules";
import { extension, type Json, typed } from "./json";
import { cidrRange } from "./networks";

/**
 * Envoy chooses routes only by headers. These headers carry the other values that policies ask about, and
 * are never sent on.
 */
export const OWN_HEADERS = {
  path: { name: "x-tunnelplane-path", value: "%PATH(NQ)%" },
  sni: { name: "x-tunnelplane-sni", value: "%REQUESTED_SERVER_NAME%" },
} as const;

/** The caller's address, by the connection or a balancer; Envoy writes it before it chooses a route. */
export const CLIENT_IP_HEADER = "x-envoy-external-address";

/** Asks about a request, where a route is chosen. */
export function requestPredicate(condition: Condition): Json {
  if (typeof condition === "boolean") throw new Error("A condition that is known needs no predicate");
  if ("not" in condition) return { not_matcher: requestPredicate(condition.not) };
  if ("all" in condition) return { and_matcher: { predicate: condition.all.map(requestPredicate) } };
  if ("any" in condition) return { or_matcher: { predicate: condition.any.map(requestPredicate) } };
  return askRequest(condition.input, condition.test);
}

function askRequest(input: Input, test: Test): Json {
  const header = headerOf(input);
  const found = single(headerInput(header), input === "host" ? hostMatch(test) : matchOf(test));
  // A header that is absent reads as an empty text; Envoy would call every test of it false.
  if (typeof input === "string" || !holds(test, "")) return found;
  return {
    or_matcher: { predicate: [found, { not_matcher: single(headerInput(header), matchOf({ regex: "" })) }] },
  };
}

const single = (input: Json, match: Json): Json => ({ single_predicate: { input, ...match } });

const headerInput = (name: string): Json =>
  extension("header", "envoy.type.matcher.v3.HttpRequestHeaderMatchInput", { header_name: name });

function headerOf(input: Input): string {
  if (typeof input !== "string") return input.header;
  if (input === "method") return ":method";
  if (input === "client_ip") return CLIENT_IP_HEADER;
  return input === "host" ? ":authority" : OWN_HEADERS[input].name;
}

function matchOf(test: Test): Json {
  if ("regex" in test) return regexMatch(searching(test.regex));
  if ("cidr" in test) {
    const fields = { stat_prefix: "policy", cidr_ranges: [cidrRange(test.cidr)] };
    return {
      custom_match: {
        name: "ip",
        typed_config: typed("envoy.extensions.matching.input_matchers.ip.v3.Ip", fields),
      },
    };
  }
  // Envoy refuses empty prefixes; each text begins with one.
  const [[, text] = ["", ""]] = Object.entries(test);
  return text === "" && !("exact" in test) ? regexMatch("(?s:.*)") : { value_match: test };
}

const regexMatch = (regex: string): Json => ({ value_match: { safe_regex: { google_re2: {}, regex } } });

/** The Host header may carry a port, and capital letters. */
function hostMatch(test: Test): Json {
  const name = (regex: string) => regexMatch(`(?i:${regex})(?::[0-9]+)?`);
  if ("exact" in test) return name(escapeRegex(test.exact));
  if ("prefix" in test) return name(`${escapeRegex(test.prefix)}[^:]*`);
  if ("suffix" in test) return name(`[^:]*${escapeRegex(test.suffix)}`);
  if ("contains" in test) return name(`[^:]*${escapeRegex(test.contains)}[^:]*`);
  throw new Error("A pattern for hosts is refused before");
}

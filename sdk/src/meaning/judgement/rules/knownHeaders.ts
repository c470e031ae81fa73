import { finds } from "./patterns";

/**
 * The headers by which a request says that no person navigates, as `fetch`, images and WebSockets do: sent to
 * sign in, nobody would see it. Where a person does, each is absent, or empty, or RE2 matches its whole text.
 */
export const NAVIGATED: readonly (readonly [header: string, pattern: string])[] = [
  ["sec-fetch-mode", "navigate"],
  ["accept", "(?i:.*text/html.*)"],
  ["x-requested-with", ""],
  ["upgrade", ""],
];

/** @param sent a header by its name in lower case: "" for none, undefined if that is not known */
export function isNavigated(sent: (header: string) => string | undefined): boolean | undefined {
  const answers = NAVIGATED.map(([header, pattern]) => {
    const value = sent(header);
    return value === undefined ? undefined : value === "" || finds(`^(?:${pattern})$`, value);
  });
  return answers.includes(false) ? false : answers.includes(undefined) ? undefined : true;
}

/**
 * Headers by which proxies name the caller to those behind them, or the path that was asked for: applications
 * that read it there serve another one than the route's. Gateways take them from every request.
 */
export const CALLER_HEADERS: readonly string[] = [
  "forwarded",
  "x-real-ip",
  "true-client-ip",
  "x-client-ip",
  "x-cluster-client-ip",
  "cf-connecting-ip",
  "fastly-client-ip",
  "x-original-url",
  "x-rewrite-url",
];

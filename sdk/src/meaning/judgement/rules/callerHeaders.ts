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

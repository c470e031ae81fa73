/** Headers by which proxies name the caller to those behind them. Gateways take them from every request. */
export const CALLER_HEADERS: readonly string[] = [
  "forwarded",
  "x-real-ip",
  "true-client-ip",
  "x-client-ip",
  "x-cluster-client-ip",
  "cf-connecting-ip",
  "fastly-client-ip",
];

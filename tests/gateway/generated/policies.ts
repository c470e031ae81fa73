import fc from "fast-check";
import { policy } from "../worlds";
import { maybe } from "./parts";

/** Conditions that hold for some of the requests of {@link anyRequest}, and not for others. */
const CONDITIONS = [
  'req.method == "POST"',
  'req.method != "OPTIONS"',
  'req.path.startsWith("/a")',
  'req.path == "/a/b" || req.path == "/"',
  'req.path.matches("^/a(/|$)")',
  'req.path.endsWith("b") && !req.path.contains("//")',
  'req.headers["x-team"] == "red"',
  'req.headers["X-Team"] != ""',
  'req.headers["x-team"].contains("e")',
  'req.headers["x_team"] == ""',
  'req.headers["x-forwarded-for"] == ""',
  'req.headers["x-real-ip"].startsWith("1")',
  'req.headers["x-team"].matches("^(red|blue)$")',
  'conn.client_ip.inCidrRange("127.0.0.3/30")',
  'conn.client_ip in ["127.0.0.5", "::1"]',
  '!(conn.client_ip == "127.0.0.2")',
  'conn.client_ip.startsWith("127.0.0.")',
  'conn.client_ip.endsWith(".5")',
  'req.host.endsWith("B.example.com")',
  'req.host == "app.example.com"',
  'conn.tls.sni.startsWith("x.")',
  'req.user_agent.matches("(?i)BOT")',
  'req.user_agent == ""',
  "true",
  "false",
  '"a" == "a"',
];
/** Conditions that no gateway serves, at least not everywhere. */
const BEYOND = ["size(req.path) > 3", 'req.host.matches("^app")', 'req.body == "x"'];
const CONNECTIONS = CONDITIONS.filter((one) => /^[^r]*(conn|true|false)/.test(one) && !one.includes("req."));

const answer = fc.constantFrom<[string, object?]>(
  ["deny"],
  ["deny", { status_code: 404 }],
  ["custom-response", { status_code: 200, content: "hello" }],
  ["custom-response", { status_code: 302, headers: { location: "/a" } }],
  ["custom-response", { status_code: 418 }],
);
const passing = fc.constantFrom<[string, object?]>(
  ["log", { metadata: { team: "web" } }],
  ["rate-limit", { name: "wide", capacity: 1_000_000, rate: "1s" }],
  ["rate-limit", { name: "each", capacity: 1_000_000, rate: "1s", bucket_key: ["conn.client_ip"] }],
  ["url-rewrite", { from: "^/old/(.*)$", to: "/new/$1" }],
);
const rareFault = fc.constantFrom<[string, object?]>(
  ["url-rewrite", { from: "^/old(.*)$", to: "/new/$1" }],
  ["rate-limit", { name: "each", capacity: 1, rate: "1s", bucket_key: ["req.body"] }],
  ["newer-action"],
);
const conditions = (texts: readonly string[]) =>
  fc.oneof(
    { weight: 20, arbitrary: fc.array(fc.constantFrom(...texts), { maxLength: 2 }) },
    { weight: 1, arbitrary: fc.constantFrom(...BEYOND).map((one) => [one]) },
  );
const onePolicy = (texts: readonly string[], action: fc.Arbitrary<[string, object?]>) =>
  fc
    .tuple(conditions(texts), fc.array(action, { minLength: 1, maxLength: 2 }))
    .map(([expressions, some]) => policy(expressions, ...some));
export const httpPolicies = maybe(
  fc.record({
    inbound: fc.array(
      onePolicy(
        CONDITIONS,
        fc.oneof(
          { weight: 12, arbitrary: answer },
          { weight: 10, arbitrary: passing },
          { weight: 1, arbitrary: rareFault },
        ),
      ),
      { maxLength: 4 },
    ),
    outbound: fc.array(onePolicy(["true"], fc.constant<[string, object?]>(["log", {}])), { maxLength: 1 }),
  }),
  5,
);
export const tcpPolicies = maybe(
  fc.record({
    inbound: fc.array(
      fc.oneof(
        { weight: 8, arbitrary: onePolicy(CONNECTIONS, fc.constant<[string, object?]>(["deny"])) },
        {
          weight: 2,
          arbitrary: fc.constant(
            policy([], ["rate-limit", { name: "all", capacity: 1_000_000, rate: "1s" }]),
          ),
        },
        { weight: 2, arbitrary: fc.constant(policy([], ["log", {}])) },
        {
          weight: 1,
          arbitrary: fc.constantFrom(
            policy([], ["custom-response", {}]),
            policy(['req.method == "GET"'], ["deny"]),
          ),
        },
      ),
      { maxLength: 3 },
    ),
    outbound: fc.constant([]),
  }),
  5,
);

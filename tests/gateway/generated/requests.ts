import fc from "fast-check";
import { certificates, tokensOf } from "../../support/generatedCallers";
import { ISSUERS, KEY_SETS, someClaims } from "./parts";

const NAMES = "app api x.b y.b any other b a.x.b a.any tcp".split(" ");
const PATHS = [
  ..."/ /a /a /a/ /a/b /a/b /a/b/c /ab /A /old/x /zz /a//b /zz/../a/b /zz/%2e%2E/a /%61".split(" "),
  ...String.raw`/a%2fb /a;x /zz/..;/a /a?x=;&/ab /./a/./b /.tunnelplane/x /.tunnelplane/sign-out/edghtsrt_0_0 /a\b /.. /a/.. /%zz /a%00 /a/%c3%a9`.split(
    " ",
  ),
];

/** Requests that these worlds decide in different ways. */
export const anyRequest = fc.record({
  address: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...NAMES).map((name) => `${name}.example.com:443`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        "db.example.com:20001",
        "any.example.com:20001",
        "203.0.113.7:20002",
        "[2001:db8::1]:20002",
      ),
    },
  ),
  tls: fc.constantFrom("1.2" as const, "1.3" as const, "1.3" as const, "1.3" as const, null),
  host: fc.oneof(
    { weight: 8, arbitrary: fc.constant(undefined) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        "app.example.com",
        "APP.example.com:8443",
        "y.b.example.com",
        "z.example.com",
        "no.example.org",
        "a.b.c.example.com",
      ),
    },
  ),
  method: fc.constantFrom("GET", "GET", "POST", "OPTIONS"),
  path: fc.constantFrom(...PATHS),
  headers: fc.constantFrom<Record<string, string>>(
    {},
    { "X-Team": "red" },
    { "x-team": "blue" },
    { x_team: "red" },
    { "x-forwarded-for": "127.0.0.2", "X-Real-IP": "127.0.0.2" },
    { origin: "https://evil.example.org" },
  ),
  user_agent: fc.constantFrom("curl/8.0", "curl/7.1 bot", "Mozilla/5.0", "a BOT", null),
  from: fc.constantFrom("127.0.0.1", "127.0.0.2", "127.0.0.5"),
  client_certificate: certificates,
  token: tokensOf({
    issuers: ISSUERS,
    audiences: fc.constantFrom(["api"], ["web"], ["web", "x"], ["other"]),
    algorithms: ["RS256", "RS512"],
    keySets: KEY_SETS,
    places: [
      { method: "header", name: "Authorization", prefix: "Bearer " },
      { method: "header", name: "x-token", prefix: "" },
    ],
    claims: someClaims,
  }),
  webhook: fc.constantFrom(null, "valid" as const, "invalid" as const),
  session: fc.oneof(
    fc.constant(null),
    fc.record({
      issuer: fc.constant("https://id.example.com"),
      client_id: fc.constantFrom("app", "app", "other"),
      claims: someClaims,
    }),
  ),
});

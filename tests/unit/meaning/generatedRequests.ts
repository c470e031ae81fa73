import type { DecisionRequest } from "@tunnelplane/sdk/meaning";
import fc from "fast-check";
import { ISSUERS, PLACES, some } from "./generatedWorlds";

const claimed = fc.oneof(
  fc.constantFrom<unknown[]>("ops", "dev1", "ann@a.test", "7", 7, true, false, "true", "", null, 8, "shop"),
  fc.array(fc.constantFrom<unknown[]>("ops", "x@a.test", 7, false, {}), { maxLength: 3 }),
);
const someClaims = fc.record(
  { email: claimed, team: claimed, email_verified: claimed, realm: fc.record({ role: claimed }) },
  { requiredKeys: [] },
);

const requestFields = {
  address: fc.constantFrom(
    "a.w.test:443",
    "b.w.test:443",
    "c.w.test:443",
    "ab.w.test:443",
    "www.x.test:443",
    "d.a.w.test:443",
    "db.w.test:20001",
    "192.0.2.7:20002",
  ),
  path: fc.oneof(
    fc.constantFrom(..."/ /a /a/b /a/b/c /ab /abc /a/12 /ax /a/xb /b /x /a/bx /.tunnelplane/x".split(" ")),
    fc
      .array(fc.string({ unit: fc.constantFrom(..."abx1-"), minLength: 1, maxLength: 3 }), { maxLength: 3 })
      .map((all) => `/${all.join("/")}`),
  ),
  method: fc.constantFrom("GET", "POST", "HEAD", "OPTIONS", "PUT"),
  from: fc.constantFrom(
    "10.0.0.1",
    "10.1.0.1",
    "10.1.2.3",
    "1.2.3.4",
    "198.51.100.9",
    "203.0.113.5",
    "2001:db8::5",
    "fe80::1",
  ),
  tls: fc.constantFrom("1.2" as const, "1.3" as const),
  user_agent: fc.constantFrom(null, "curl/7.1", "curl/8.5", "Mozilla/5.0", "GoogleBot", "mybot", "x"),
  headers: fc.constantFrom<Record<string, string>[]>(
    {},
    { "x-team": "blue" },
    { "X-Team": "Red" },
    { "x-team": "g" },
  ),
  client_certificate: fc.constantFrom(null, ...["ca_a", "ca_b", "other"].map((authority) => ({ authority }))),
  token: fc.oneof(
    fc.constantFrom(null, "invalid" as const),
    fc.record({
      issuer: fc.constantFrom(...ISSUERS),
      audiences: some("api", "web"),
      algorithm: fc.constantFrom("RS256", "ES256"),
      keys: fc.constantFrom(...["https://one.test/keys", "https://two.test/keys"]),
      at: fc.constantFrom(...PLACES),
      claims: someClaims,
    }),
  ),
  session: fc.oneof(
    fc.constant(null),
    fc.record({
      issuer: fc.constantFrom(...ISSUERS),
      client_id: fc.constantFrom("a", "b"),
      claims: someClaims,
    }),
  ),
};
/** Requests at random, which know nothing of what worlds ask. */
export const request: fc.Arbitrary<DecisionRequest> = fc.record(requestFields, {
  requiredKeys: ["address", "from"],
});

const PATHS = [
  ..."/ /a /a /a/ /a/b /a/b /a/b/c /ab /A /old/x /zz /a//b /zz/../a/b /zz/%2e%2E/a /%61".split(" "),
  ...String.raw`/a%2fb /a;x /zz/..;/a /a?x=;&/ab /./a/./b /.tunnelplane/x /a\b /.. /a/.. /%zz /a%00 /a/%c3%a9`.split(
    " ",
  ),
];
/** Those too that are written strangely, or for another host, or sign a webhook. */
export const furtherRequest: fc.Arbitrary<DecisionRequest> = fc.record(
  {
    ...requestFields,
    path: fc.constantFrom(...PATHS),
    host: fc.oneof(
      { weight: 8, arbitrary: fc.constant(undefined) },
      fc.constantFrom(..."a.w.test A.w.test:8443 b.w.test z.w.test no.x.test a.b.c.w.test".split(" ")),
    ),
    method: fc.constantFrom("GET", "GET", "POST", "OPTIONS"),
    headers: fc.constantFrom<Record<string, string>[]>(
      ...[{}, { "X-Team": "red" }, { "x-team": "blue" }, { x_team: "red" }],
      { "x-forwarded-for": "10.1.2.3", "X-Real-IP": "10.1.2.3" },
      ...[{ origin: "https://evil.example.org" }, { accept: "TEXT/html, */*" }, { accept: "*/*" }],
      ...[{ "Sec-Fetch-Mode": "cors" }, { "sec-fetch-mode": "navigate", accept: "" }],
      { "x-requested-with": "XMLHttpRequest" },
    ),
    tls: fc.constantFrom("1.2" as const, "1.3" as const, "1.3" as const, null),
    webhook: fc.constantFrom(null, "valid" as const, "invalid" as const),
  },
  { requiredKeys: ["address", "from", "path"] },
);

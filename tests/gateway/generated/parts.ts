import fc from "fast-check";
import { enabled } from "../worlds";

/** Objects as the API answers them. */
export type AnyWorld = readonly { readonly kind: string; readonly fields: object }[];

export const KEY_SETS = ["https://id.example.com/jwks", "https://id2.example.com/jwks"];
/** A trial makes others in their place, and keeps apart what differs. */
export const AUTHORITIES = { a: "-----BEGIN a", b: "-----BEGIN b" } as const;

const isEnabled = fc.constantFrom(true, true, true, true, false);
/** A module that is there in so many of ten worlds. */
export const maybe = <T extends object>(fields: fc.Arbitrary<T>, often: number) =>
  fc.oneof(
    { weight: 10 - often, arbitrary: fc.constant(null) },
    {
      weight: often,
      arbitrary: fc.tuple(isEnabled, fields).map(([on, one]) => ({ ...enabled(one), enabled: on })),
    },
  );

/** Claims that routes ask for, and those of tokens that have some of them. */
export const requiredClaims = fc.constantFrom<Record<string, string[]>>(
  {},
  {},
  { team: ["ops", "dev*"] },
  { email: ["*@example.com"], level: ["3", "true"] },
  { "realm.roles": ["admin", "*"] },
  { team: ["*"], "https://example.com/r.s": ["x*y*"] },
);
export const someClaims = fc.record(
  {
    team: fc.constantFrom<unknown[]>("ops", "dev1", "other@x", "", ["x", "dev"], 7, true, null, {}),
    email: fc.constantFrom("ann@example.com", "ann@evil@example.com", "ann@example.org"),
    email_verified: fc.constantFrom<unknown[]>(true, true, false, "true"),
    level: fc.constantFrom<unknown[]>(3, "3", true, false, [1, 3], 4),
    realm: fc.constantFrom<unknown[]>(
      { roles: ["user", "admin"] },
      { roles: "a@b" },
      { roles: false },
      "admin",
    ),
    "https://example.com/r.s": fc.constantFrom("xy", "x-y-", "x@y", "y"),
  },
  { requiredKeys: [] },
);

/** Networks in which the clients of these tests are, or are not. */
const CIDRS =
  "127.0.0.0/8 127.0.0.0/30 127.0.0.2/32 127.0.0.4/30 127.0.0.5/32 10.0.0.0/8 ::/0 0.0.0.0/0".split(" ");
/** Rules of an IP policy. */
export const rules = fc.uniqueArray(
  fc.record({
    action: fc.constantFrom("allow" as const, "allow" as const, "deny" as const),
    cidr: fc.constantFrom(...CIDRS),
  }),
  { maxLength: 4, selector: ({ cidr }) => cidr },
);

export const ISSUERS = ["https://id.example.com", "https://id2.example.com"];

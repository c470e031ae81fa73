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

export const ISSUERS = ["https://id.example.com", "https://id2.example.com"];

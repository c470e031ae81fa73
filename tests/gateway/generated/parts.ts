import fc from "fast-check";
import { enabled } from "../worlds";

/** Objects as the API answers them. */
export type AnyWorld = readonly { readonly kind: string; readonly fields: object }[];

/** What the programs and issuers of a test have as addresses. */
export interface Outside {
  /** Two programs that answer with their names, and one behind TLS. */
  readonly one: string;
  readonly two: string;
  readonly behindTls: string;
  /** Key sets of two issuers. */
  readonly keySets: readonly [string, string];
  /** PEMs of two authorities. */
  readonly authorities: Readonly<Record<"a" | "b", string>>;
}

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

import fc from "fast-check";

/** The certificate of a caller: one of two authorities that worlds declare, another one, or none. */
export const certificates = fc.constantFrom(
  null,
  { authority: "ca_a" },
  { authority: "ca_b" },
  { authority: "other" },
);

interface TokenParts<Claims> {
  readonly issuers: readonly string[];
  readonly audiences: fc.Arbitrary<string[]>;
  readonly algorithms: readonly string[];
  readonly keySets: readonly string[];
  readonly places: readonly { readonly method: string; readonly name: string; readonly prefix: string }[];
  readonly claims: fc.Arbitrary<Claims>;
}

/** The token of a caller: a valid one of these parts, an invalid one, or none. */
export const tokensOf = <Claims>({
  issuers,
  audiences,
  algorithms,
  keySets,
  places,
  claims,
}: TokenParts<Claims>) =>
  fc.oneof(
    fc.constantFrom(null, "invalid" as const),
    fc.record({
      issuer: fc.constantFrom(...issuers),
      audiences,
      algorithm: fc.constantFrom(...algorithms),
      keys: fc.constantFrom(...keySets),
      at: fc.constantFrom(...places),
      claims,
    }),
  );

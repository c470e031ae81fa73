/**
 * Asymmetric algorithms of RFC 7518 section 3.1 and RFC 8037: those who check a signature hold no shared
 * secrets.
 */
export const JWT_ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
] as const;

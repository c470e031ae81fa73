import { JWT_ALGORITHMS } from "@tunnelplane/sdk/contract";
import { decodeJwt, errors, type JWTPayload, jwtVerify } from "jose";
import type { Asker, Issuers } from "./issuers";
import { TokenRefused } from "./refused";

/** How far clocks may be apart (RFC 8725 names none; a minute is usual), in seconds. */
const LEEWAY_S = 60;
const OPTIONS = {
  algorithms: [...JWT_ALGORITHMS],
  typ: "JWT",
  requiredClaims: ["iss", "aud", "exp"],
  clockTolerance: LEEWAY_S,
};

/** The issuer that a token names, unverified. Undefined where it is not a JSON Web Token at all. */
export function issuerNamedBy(token: string): { readonly issuer: unknown } | undefined {
  try {
    return { issuer: decodeJwt(token).iss };
  } catch {
    return undefined;
  }
}

/**
 * The claims of a token that this issuer signed, after RFC 8725: only asymmetric algorithms of a list, no key
 * but those that the issuer publishes, of the type `JWT`, with an audience and an end, now valid.
 * @throws TokenRefused naming what is wrong
 */
export async function verified(issuers: Issuers, asker: Asker, token: string): Promise<JWTPayload> {
  const { issuer } = asker;
  const keys = await issuers.keysOf(asker);
  try {
    return await check(token, issuer, keys.find);
  } catch (error) {
    const newer = error instanceof errors.JWKSNoMatchingKey && (await issuers.newerThan(asker, keys));
    if (!newer) throw refusalOf(error);
    return check(token, issuer, newer.find).catch((again: unknown) => {
      throw refusalOf(again);
    });
  }
}

async function check(
  token: string,
  issuer: string,
  keys: Parameters<typeof jwtVerify>[1],
): Promise<JWTPayload> {
  return (await jwtVerify(token, keys, { ...OPTIONS, issuer })).payload;
}

function refusalOf(error: unknown): unknown {
  if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired)
    return new TokenRefused([error.claim]);
  if (error instanceof errors.JOSEAlgNotAllowed) return new TokenRefused(["alg"]);
  if (error instanceof errors.JWSSignatureVerificationFailed) return new TokenRefused(["signature"]);
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
    return new TokenRefused(["kid"]);
  // Other mistakes are in the header, such as `crit`; a key that its algorithm forbids is a TypeError.
  if (error instanceof errors.JOSEError || error instanceof TypeError) return new TokenRefused(["header"]);
  return error;
}

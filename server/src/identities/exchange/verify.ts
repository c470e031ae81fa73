import type { webcrypto } from "node:crypto";
import { JWT_ALGORITHMS } from "@tunnelplane/sdk/contract";
import { compactVerify, decodeJwt, errors, type JWTPayload, jwtVerify } from "jose";
import type { Asker, IssuerKeys, Issuers } from "./issuers";
import { TokenRefused } from "./refused";

/** How far clocks may be apart (RFC 8725 names none; a minute is usual), in seconds. */
const LEEWAY_S = 60;
const OPTIONS = {
  algorithms: [...JWT_ALGORITHMS],
  requiredClaims: ["iss", "aud", "exp"],
  clockTolerance: LEEWAY_S,
};

/** Buildkite, Kubernetes and older Jenkins send no type; another type may be made for another purpose. */
const IS_JWT = /^(?:application\/)?jwt$/i;
/** Of keys that may have signed a token which names none: each costs a check of a signature. */
const MAX_TRIED = 4;

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
 * but those that the issuer publishes, of the type `JWT` or none, with an audience and an end, now valid.
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

async function check(token: string, issuer: string, keys: IssuerKeys["find"]): Promise<JWTPayload> {
  const options = { ...OPTIONS, issuer };
  const { payload, protectedHeader } = await jwtVerify(token, keys, options).catch(async (error: unknown) => {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    return jwtVerify(token, await signerAmong(error, token), options);
  });
  const type: unknown = protectedHeader.typ;
  if (type !== undefined && !(typeof type === "string" && IS_JWT.test(type))) throw new TokenRefused(["typ"]);
  return payload;
}

/** The key that signed a token, of several that may have: such tokens name none. */
async function signerAmong(
  keys: errors.JWKSMultipleMatchingKeys,
  token: string,
): Promise<webcrypto.CryptoKey> {
  let tried = 0;
  for await (const key of keys) {
    if (tried++ === MAX_TRIED) break;
    const isSigner = await compactVerify(token, key).then(
      () => true,
      () => false,
    );
    if (isSigner) return key;
  }
  throw new errors.JWSSignatureVerificationFailed();
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

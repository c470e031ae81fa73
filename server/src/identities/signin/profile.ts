import { isObject } from "@tunnelplane/sdk/contract";
import { claimIn } from "@tunnelplane/sdk/rules";
import type { Profile } from "../../auth";
import { SignInRefused } from "./refused";
import type { SignInSettings } from "./signInSettings";

export type Claims = Readonly<Record<string, unknown>>;

const MAX_NAME_LENGTH = 200;
/** Of one user. Identity providers themselves put at most some hundred into a token. */
const MAX_GROUPS = 1000;
const MAX_GROUP_LENGTH = 256;
/** Of claims that are named to somebody whose name is in none. */
const MAX_NAMED = 30;

/** Claims about the token itself: nobody looks for a user in them. */
const OF_THE_TOKEN = new Set([
  ...["iss", "aud", "exp", "iat", "nbf", "auth_time", "nonce", "acr", "amr", "azp", "at_hash", "c_hash"],
  ...["s_hash", "jti", "sid"],
]);

/** The claims about the user, without those about the token. */
export const aboutUser = (claims: Claims): Claims =>
  Object.fromEntries(Object.entries(claims).filter(([name]) => !OF_THE_TOKEN.has(name)));

/**
 * The user whom verified claims name.
 * @throws SignInRefused where they lack what the settings want
 */
export function profileOf(
  claims: Claims,
  { usernameClaim, groupsClaim, requireGroups }: SignInSettings,
): Profile {
  const { iss: issuer, sub: subject, email } = claims;
  const name = plain(claimIn(claims, usernameClaim));
  if (typeof issuer !== "string" || typeof subject !== "string" || !/^.{1,255}$/s.test(subject))
    throw new SignInRefused("The identity provider did not say who you are", ["claim sub"]);
  if (name === undefined) {
    const names = Object.keys(aboutUser(claims)).slice(0, MAX_NAMED).join(", ");
    throw new SignInRefused(
      `The identity provider sent no text as ${usernameClaim}, which this server takes for your name. It sent: ${names}. An operator may ask for more with --oidc-scopes, or name another claim with --oidc-username-claim`,
      [`claim ${usernameClaim}`],
    );
  }
  const groups = groupsIn(claimIn(claims, groupsClaim));
  if (requireGroups.length > 0 && !groups.some((group) => requireGroups.includes(group)))
    throw new SignInRefused(
      groups.length > 0
        ? "None of your groups may sign in here. Ask those who manage the groups of your identity provider"
        : `The identity provider sent no groups of yours as ${groupsClaim}, and only some may sign in here. An operator may name another claim with --oidc-groups-claim`,
      ["groups"],
    );
  return { issuer, subject, name, email: plain(email) ?? null, groups };
}

/** The names of groups: texts, with or without a slash before, or objects with a `name`. */
export function groupsIn(claim: unknown): string[] {
  const listed = Array.isArray(claim) ? claim : [claim];
  const names = listed.flatMap((one: unknown) => {
    const name = isObject(one) ? one.name : one;
    return typeof name === "string" && name.length <= MAX_GROUP_LENGTH ? [name.replace(/^\//, "")] : [];
  });
  return [...new Set(names)].filter((name) => name !== "").slice(0, MAX_GROUPS);
}

/** A text without control characters, cut to what a name may have; undefined for anything else. */
function plain(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.replace(/\p{C}/gu, "").trim().slice(0, MAX_NAME_LENGTH);
  return text === "" ? undefined : text;
}

import { readFileSync } from "node:fs";
import { messageOf } from "@tunnelplane/sdk/contract";
import type { ServerOptions } from "../start";
import { isLoopback } from "../util";

/** The flags of `serve` about signing in. */
export interface SignInFlags {
  readonly oidcIssuer?: string;
  readonly oidcClientId?: string;
  readonly oidcClientSecretFile?: string;
  readonly oidcScopes: string;
  readonly oidcGroupsClaim: string;
  readonly oidcUsernameClaim: string;
  /** With commas between. */
  readonly oidcRequireGroups?: string;
  readonly allowPrivateTargets?: boolean;
}

/** Where people sign in; undefined where they do not. @throws Error saying which flag is wrong */
export function signInFrom(flags: SignInFlags): ServerOptions["signIn"] {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecretFile: file, oidcScopes } = flags;
  if (!issuer && !clientId && !file) return undefined;
  if (!issuer || !clientId)
    throw new Error(
      `--oidc-issuer and --oidc-client-id belong together; ${issuer ? "--oidc-client-id" : "--oidc-issuer"} is missing`,
    );
  requireIssuer(issuer, flags.allowPrivateTargets === true);
  const scopes = oidcScopes.split(/[\s,]+/).filter(Boolean);
  if (!scopes.includes("openid"))
    throw new Error(`--oidc-scopes must hold openid, got ${JSON.stringify(oidcScopes)}`);
  return {
    issuer,
    clientId,
    clientSecret: file ? readSecret(file) : undefined,
    scopes: scopes.join(" "),
    groupsClaim: flags.oidcGroupsClaim,
    usernameClaim: flags.oidcUsernameClaim,
    requireGroups: (flags.oidcRequireGroups ?? "")
      .split(",")
      .map((group) => group.trim().replace(/^\//, ""))
      .filter(Boolean),
  };
}

/** Plain http is for this machine, and for what an operator allows. */
function requireIssuer(text: string, allowPrivate: boolean): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isNear = url && (url.hostname === "localhost" || isLoopback(url.hostname.replace(/^\[|\]$/g, "")));
  const isFit = url?.protocol === "https:" || (url?.protocol === "http:" && (isNear || allowPrivate));
  if (!isFit || url.search || url.hash || url.username || url.password)
    throw new Error(
      `--oidc-issuer must be an https URL without user name, query and fragment, got ${JSON.stringify(text)}; http is for this machine, or with --allow-private-targets`,
    );
}

function readSecret(file: string): string {
  let secret = "";
  try {
    secret = readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new Error(`--oidc-client-secret-file cannot be read: ${messageOf(error)}`);
  }
  if (secret === "") throw new Error(`--oidc-client-secret-file ${file} is empty`);
  return secret;
}

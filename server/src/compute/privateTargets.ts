import { isIP } from "node:net";
import { isPublic } from "../util";
import type { Findings, Purpose } from "./validate";

/**
 * Adds a problem where a body has the server read from an address that is not on the internet. Names are
 * looked at when it connects.
 */
export function withPrivateTargets({ kind, what }: Purpose, found: Findings): Findings {
  const { issuer } = found.value;
  if (kind !== "workload_identity" || (what !== "create" && what !== "update")) return found;
  if (typeof issuer !== "string" || !URL.canParse(issuer) || !isPrivate(new URL(issuer))) return found;
  const message =
    'must begin with "https://" and be on the internet; an operator may allow others with --allow-private-targets';
  return { ...found, problems: [...found.problems, { error: "invalid_field", path: ["issuer"], message }] };
}

function isPrivate({ protocol, hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  return protocol !== "https:" || (isIP(host) ? !isPublic(host) : /(^|\.)localhost\.?$/.test(host));
}

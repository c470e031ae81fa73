import type { Answers } from "@tunnelplane/sdk";
import { claimIn } from "@tunnelplane/sdk/rules";
import type { JWTPayload } from "jose";
import type { Kysely } from "kysely";
import { type Database, statement } from "../../storage";

/** A workload identity as it is stored. */
export interface StoredIdentity extends Partial<Answers["workload_identity"]> {
  readonly id: string;
  readonly version: number;
  /** The id of its project. */
  readonly project: string;
}

/** The workload identities of an issuer. There are at most a thousand in all. */
export async function identitiesOf(db: Kysely<Database>, issuer: string): Promise<StoredIdentity[]> {
  const name = JSON.stringify(issuer);
  return (await allIdentities(db, {}))
    .filter(({ document }) => document.includes(name)) // most are of others, and need not be parsed
    .map(
      ({ id, version, project_id: project, document }): StoredIdentity => ({
        ...JSON.parse(document),
        id,
        version,
        project,
      }),
    )
    .filter((identity) => identity.issuer === issuer);
}

const allIdentities = statement<
  object,
  Pick<Database["resource"], "id" | "version" | "project_id" | "document">
>((db) =>
  db
    .selectFrom("resource")
    .select(["id", "version", "project_id", "document"])
    .where("kind", "=", "workload_identity"),
);

/**
 * What of a verified token an identity does not admit: names of claims; none if it matches.
 * @param address the server's public URL, which tokens are made for where the identity names no audience
 */
export function lackingFor(
  { audiences = [], claims = {} }: StoredIdentity,
  payload: JWTPayload,
  address: string | undefined,
): string[] {
  const accepted = audiences.length > 0 ? audiences : address === undefined ? [] : [address];
  const named = [payload.aud].flat();
  const isAccepted = (one: unknown) =>
    typeof one === "string" && accepted.some((audience) => withoutSlash(audience) === withoutSlash(one));
  return [
    ...(named.some(isAccepted) ? [] : ["aud"]),
    ...Object.entries(claims).flatMap(([name, pattern]) =>
      isMatch(claimIn(payload, name), pattern) ? [] : [name],
    ),
  ];
}

/** Tools add a slash to addresses, or take it away. */
const withoutSlash = (audience: string): string => audience.replace(/\/$/, "");

/** Whether a claim's value matches a text with `*` for any text. Of a list, one element must. */
function isMatch(value: unknown, pattern: string): boolean {
  if (Array.isArray(value)) return value.some((one) => !Array.isArray(one) && isMatch(one, pattern));
  if (typeof value === "number" || typeof value === "boolean") return fits(JSON.stringify(value), pattern);
  return typeof value === "string" && fits(value, pattern);
}

/** Compares part by part, so that no pattern takes longer than its length times the text's. */
function fits(text: string, pattern: string): boolean {
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

import { isObject } from "@tunnelplane/sdk/contract";
import type { SessionRules } from "../envoy/sessionRules";
import type { Answered } from "./ask";
import type { IssuerDocuments } from "./documents";

/** An issuer that refuses a sign-in, in words for the log. */
export class Refused extends Error {}

type Method = "client_secret_post" | "client_secret_basic";

/** The fields of a code's request, without those that say who the client is. */
const FIELDS = ["grant_type", "code", "redirect_uri", "code_verifier"];

/**
 * Redeems a code at its issuer's token endpoint. @returns the ID token, where there is one
 * @param form as Envoy sends it, with the client's secret
 */
export async function redeem(
  documents: IssuerDocuments,
  { issuer, clientId }: Pick<SessionRules, "issuer" | "clientId">,
  form: URLSearchParams,
): Promise<string | undefined> {
  const known = documents.issuers.get(issuer);
  if (!known) throw new Error("its discovery document was never read");
  const body = new URLSearchParams(FIELDS.map((name): [string, string] => [name, form.get(name) ?? ""]));
  const secret = form.get("client_secret") ?? "";
  let refusal = "";
  for (const method of methodsFor(known.authMethods)) {
    const { status, text } = await documents.post(known.tokenEndpoint, ...as(method, clientId, secret, body));
    const answer = jsonOf({ text });
    if (status === 200 && typeof answer.access_token === "string") {
      const { id_token: token } = answer;
      if (typeof token !== "string") return undefined;
      refuseForOthers(token, clientId);
      documents.sawToken(known.jwksUri, token);
      return token;
    }
    const error =
      typeof answer.error === "string" ? answer.error.slice(0, 60) : "no JSON with an access_token";
    refusal = `its token endpoint answered ${status}, ${JSON.stringify(error)} (${method})`;
    if (status !== 401 && error !== "invalid_client") break;
  }
  throw new Refused(refusal);
}

/** A token for several audiences has to name this client as the one that it was given to. */
function refuseForOthers(token: string, clientId: string): void {
  const { aud, azp } = jsonOf({ text: Buffer.from(token.split(".")[1] ?? "", "base64url").toString() });
  // OpenID Connect Core 1.0 section 3.1.3.7.
  if (Array.isArray(aud) && aud.length > 1 && azp !== clientId)
    throw new Refused("its ID token is for several audiences, and its azp does not name this client");
}

/** In their order: another one follows where the first is refused as the client's. */
function methodsFor(offered: readonly string[] | null | undefined): Method[] {
  // OpenID Connect Discovery 1.0 section 3.
  if (!offered) return ["client_secret_basic", "client_secret_post"];
  const both: Method[] = ["client_secret_post", "client_secret_basic"];
  const among = both.filter((method) => offered.includes(method));
  return among.length > 0 ? among : both;
}

function as(
  method: Method,
  id: string,
  secret: string,
  body: URLSearchParams,
): [body: string, headers: Readonly<Record<string, string>>] {
  if (method === "client_secret_post")
    return [`${body}&${new URLSearchParams({ client_id: id, client_secret: secret })}`, {}];
  // Each is encoded as in a form (RFC 6749 section 2.3.1).
  const encoded = (text: string) => new URLSearchParams({ "": text }).toString().slice(1);
  const basic = Buffer.from(`${encoded(id)}:${encoded(secret)}`).toString("base64");
  return [String(body), { authorization: `Basic ${basic}` }];
}

function jsonOf({ text }: Pick<Answered, "text">): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(text);
    return isObject(json) ? json : {};
  } catch {
    return {};
  }
}

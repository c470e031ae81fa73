import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { fieldsOfForm, own } from "@tunnelplane/sdk/contract";
import type { Provider } from "../envoy/webhooks";

/** A request that a service sent, as far as signatures cover it. */
export interface Signed {
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
  /** The addresses under which the caller may have asked, the likelier first. */
  readonly urls: readonly string[];
}

/** How old a signature may be, as Slack, Stripe and Svix say in their documents. */
const OLDEST_S = 5 * 60;
/** Signatures of one request: services that change their secret send two. */
const MAX_SIGNATURES = 10;
/** Fields of one form. */
const MAX_FIELDS = 1000;

type Check = (request: Signed, secret: string, now: number) => boolean;

const CHECKS: Readonly<Record<Provider, Check>> = {
  github: ({ headers, body }, secret) =>
    isSame(headers["x-hub-signature-256"], `sha256=${hmac("sha256", secret, body).toString("hex")}`),
  gitlab: ({ headers }, secret) => isSame(headers["x-gitlab-token"], secret),
  shopify: ({ headers, body }, secret) =>
    isSame(headers["x-shopify-hmac-sha256"], hmac("sha256", secret, body).toString("base64")),
  slack({ headers, body }, secret, now) {
    const at = headers["x-slack-request-timestamp"];
    const signed = hmac("sha256", secret, `v0:${at}:`, body).toString("hex");
    return isRecent(at, now) && isSame(headers["x-slack-signature"], `v0=${signed}`);
  },
  stripe({ headers, body }, secret, now) {
    const parts = (headers["stripe-signature"] ?? "").split(",").map((part) => part.trim().split("="));
    const at = parts.find(([name]) => name === "t")?.[1];
    const expected = hmac("sha256", secret, `${at}.`, body).toString("hex");
    const sent = parts.flatMap(([name, value]) => (name === "v1" ? [value] : []));
    return isRecent(at, now) && isOneOf(sent, expected);
  },
  svix({ headers, body }, secret, now) {
    const of = (name: string) => own(headers, `svix-${name}`) ?? own(headers, `webhook-${name}`);
    const at = of("timestamp");
    const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
    const expected = hmac("sha256", key, `${of("id")}.${at}.`, body).toString("base64");
    const sent = (of("signature") ?? "").split(" ").map((one) => one.split(","));
    return (
      // Anybody can sign with an empty key.
      key.length > 0 &&
      isRecent(at, now) &&
      isOneOf(
        sent.flatMap(([version, value]) => (version === "v1" ? [value] : [])),
        expected,
      )
    );
  },
  twilio({ headers, body, urls }, secret) {
    const isForm = headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true;
    const fields = isForm ? fieldsOf(body) : [];
    if (fields === undefined) return false;
    return urls.some(
      (url) =>
        isSame(
          headers["x-twilio-signature"],
          hmac("sha1", secret, url, fields.flat().join("")).toString("base64"),
        ) &&
        (isForm || body.length === 0 || hasDigestOf(body, url)),
    );
  },
};

/**
 * Whether a service signed a request.
 *
 * @param provider as its documents say it: GitHub "Validating webhook deliveries", GitLab "Webhooks", Shopify
 *   "Verify webhooks", Slack "Verifying requests", Stripe "Webhook signatures", Svix "Verifying payloads",
 *   Twilio "Webhooks security"
 * @param now in milliseconds
 */
export const isSigned = (provider: Provider, request: Signed, secret: string, now: number): boolean =>
  CHECKS[provider](request, secret, now);

function hmac(hash: "sha1" | "sha256", key: string | Buffer, ...parts: (string | Buffer)[]): Buffer {
  const made = createHmac(hash, key);
  for (const part of parts) made.update(part);
  return made.digest();
}

/** Compares digests of the texts, which have one length, in constant time. */
function isSame(sent: string | undefined, expected: string): boolean {
  if (sent === undefined) return false;
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(sent), digest(expected));
}

const isOneOf = (sent: readonly (string | undefined)[], expected: string): boolean =>
  sent.slice(0, MAX_SIGNATURES).some((one) => isSame(one, expected));

/** @param at in seconds since 1970 @param now in milliseconds */
const isRecent = (at: string | undefined, now: number): boolean =>
  at !== undefined && /^\d{1,12}$/.test(at) && Math.abs(now / 1000 - Number(at)) <= OLDEST_S;

/** The fields of a form by their names, as Twilio signs them: each once. Undefined if there are too many. */
function fieldsOf(body: Buffer): [string, string][] | undefined {
  const fields = fieldsOfForm(body, MAX_FIELDS);
  if (!fields) return undefined;
  const texts = new Map<string, [string, string]>(
    fields.map(([name, value]) => [JSON.stringify([name, value]), [name, value]]),
  );
  return [...texts.values()].sort(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1));
}

/** Twilio names the digest of a body that is not a form in the query, which it signs. */
function hasDigestOf(body: Buffer, url: string): boolean {
  const query = fieldsOfForm(new URL(url).search.slice(1), MAX_FIELDS);
  const [, sent] = query?.find(([name]) => name === "bodySHA256") ?? [];
  return isSame(sent, createHash("sha256").update(body).digest("hex"));
}

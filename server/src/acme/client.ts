import { messageOf } from "@tunnelplane/sdk/contract";
import { calculateJwkThumbprint, exportJWK, FlattenedSign, generateKeyPair, importJWK, type JWK } from "jose";
import type { Dispatcher } from "undici";
import { z } from "zod";
import { OtherServers, VERSION } from "../util";
import { AcmeProblem, problemIn } from "./problem";

const ALGORITHM = "ES256";
const CONNECT_MS = 5_000;
/** From the question to the end of the answer. */
const MAX_MS = 10_000;
/** In bytes; a chain of certificates is the longest. */
const MAX_BYTES = 256 * 1024;
/** How often a request is sent again because its nonce was used up (RFC 8555 section 6.5). */
const MAX_NONCES = 5;
/** Of an account's list of orders, which has the oldest ones first. */
const MAX_PAGES = 500;
/** An authority that asks to wait longer is asked again by then. */
const MAX_WAIT_MS = 24 * 60 * 60_000;

/** Refusals that are none: the same is asked again (RFC 8555 sections 6.5 and 7.4). */
const NOT_YET = ["badNonce", "orderNotReady"];

const directoryShape = z.object({
  newNonce: z.url(),
  newAccount: z.url(),
  newOrder: z.url(),
  renewalInfo: z.url().optional(),
});
const orderShape = z.object({
  status: z.enum(["pending", "ready", "processing", "valid", "invalid"]),
  identifiers: z.array(z.object({ value: z.string() })).max(10),
  authorizations: z.array(z.url()).max(10),
  finalize: z.url(),
  certificate: z.url().optional(),
  error: z.unknown().optional(),
});
const accountShape = z.object({ orders: z.url().optional() });
const ordersShape = z.object({ orders: z.array(z.url()).max(10_000) });
const authorizationShape = z.object({
  status: z.string(),
  challenges: z
    .array(
      z.object({
        type: z.string(),
        url: z.url(),
        token: z.string().max(1000).optional(),
        status: z.string(),
        error: z.unknown().optional(),
      }),
    )
    .max(20),
});
const renewalShape = z.object({
  suggestedWindow: z.object({
    start: z.iso.datetime({ offset: true }),
    end: z.iso.datetime({ offset: true }),
  }),
});

export type Order = z.infer<typeof orderShape> & { readonly url: string };
export type Authorization = z.infer<typeof authorizationShape>;

/** The account at an authority: its key, and the URL that the authority gave it. */
export interface Account {
  readonly directory: string;
  readonly key: JWK;
  readonly url: string;
}

export interface AcmeOptions {
  /** The URL of the authority's directory. */
  readonly directory: string;
  /** An address of email for the account. */
  readonly contact?: string;
  readonly binding?: AccountBinding;
  /** PEM of further authorities that may vouch for the authority's own server. */
  readonly trust?: string;
}

/** What an authority gave its customer, so that an account belongs to that one (RFC 8555 section 7.3.4). */
export interface AccountBinding {
  readonly keyId: string;
  readonly key: Buffer;
}

/** The key of a new account, signed with what the authority gave. */
function bound({ d: _, ...publicKey }: JWK, url: string, { keyId, key }: AccountBinding): Promise<object> {
  return new FlattenedSign(new TextEncoder().encode(JSON.stringify(publicKey)))
    .setProtectedHeader({ alg: "HS256", kid: keyId, url })
    .sign(key);
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Speaks ACME (RFC 8555) with one authority: bounded in time and size, and without following redirects. */
export class AcmeClient {
  #opened: OtherServers | undefined;
  #directory: z.infer<typeof directoryShape> | undefined;
  #nonce: string | undefined;

  constructor(private readonly options: AcmeOptions) {}

  /** Made for the first request: most servers order no certificates. */
  get #others(): OtherServers {
    // An operator names the authority, so it may be in a private network.
    this.#opened ??= new OtherServers({
      ...{ connectMs: CONNECT_MS, answerMs: MAX_MS, allowPrivate: true, ca: this.options.trust },
      ...{ connections: 4, maxResponseSize: MAX_BYTES },
    });
    return this.#opened;
  }

  /** Makes an account with a new key. */
  async newAccount(): Promise<Account> {
    const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
    const key = await exportJWK(privateKey);
    const { contact, directory, binding } = this.options;
    const { newAccount } = await this.#find();
    const body = {
      termsOfServiceAgreed: true,
      ...(contact && { contact: [`mailto:${contact}`] }),
      ...(binding && { externalAccountBinding: await bound(key, newAccount, binding) }),
    };
    const { headers } = await this.#post(newAccount, body, { key }, "the account was refused");
    return { directory, key, url: locationIn(headers) };
  }

  /** @param replaces the id of the certificate that this one follows, for authorities with RFC 9773 */
  async newOrder(account: Account, name: string, replaces?: string): Promise<Order> {
    const { newOrder, renewalInfo } = await this.#find();
    const body = {
      identifiers: [{ type: "dns", value: name }],
      ...(replaces && renewalInfo && { replaces }),
    };
    const answer = await this.#post(newOrder, body, account, `the order for ${name} was refused`);
    return { ...parsed(orderShape, answer), url: locationIn(answer.headers) };
  }

  async order(account: Account, url: string): Promise<Order> {
    return {
      ...parsed(orderShape, await this.#post(url, undefined, account, "the order cannot be read")),
      url,
    };
  }

  /**
   * The URLs of the account's last orders, the newest first. Empty at an authority that lists none
   * (RFC 8555 section 7.1.2.1).
   */
  async lastOrders(account: Account, count: number): Promise<string[]> {
    const read = (url: string) => this.#post(url, undefined, account, "the account cannot be read");
    const { orders } = parsed(accountShape, await read(account.url));
    const urls: string[] = [];
    let next = orders;
    for (let page = 0; next !== undefined && page < MAX_PAGES; page++) {
      const answer = await read(next);
      urls.push(...parsed(ordersShape, answer).orders);
      urls.splice(0, urls.length - count);
      next = nextIn(answer.headers, next);
    }
    return urls.reverse();
  }

  async authorization(account: Account, url: string): Promise<Authorization> {
    const answer = await this.#post(url, undefined, account, "the authorization cannot be read");
    return parsed(authorizationShape, answer);
  }

  /** Asks the authority to look for the answer to a challenge. */
  async respond(account: Account, url: string): Promise<void> {
    await this.#post(url, {}, account, "the challenge was refused");
  }

  async finalize(account: Account, { finalize }: Order, csr: Buffer): Promise<void> {
    await this.#post(finalize, { csr: csr.toString("base64url") }, account, "the certificate was refused");
  }

  /** The chain as PEM. */
  async certificate(account: Account, url: string): Promise<string> {
    return (await this.#post(url, undefined, account, "the certificate cannot be read")).text;
  }

  /** The text that proves possession of the account's key (RFC 8555 section 8.1). */
  async keyAuthorization({ key }: Account, token: string): Promise<string> {
    return `${token}.${await calculateJwkThumbprint(key)}`;
  }

  /**
   * When the authority suggests to renew a certificate (RFC 9773 section 4.2): a moment within its window.
   * Undefined where it does not say.
   */
  async renewalTime(certificateId: string): Promise<Date | undefined> {
    const { renewalInfo } = await this.#find();
    if (renewalInfo === undefined) return undefined;
    const answer = await this.#send(`${renewalInfo}/${certificateId}`, { method: "GET" });
    if (answer.status !== 200) return undefined;
    const { start, end } = parsed(renewalShape, answer).suggestedWindow;
    const [from, to] = [Date.parse(start), Date.parse(end)];
    return new Date(from + Math.random() * Math.max(0, to - from));
  }

  close(): Promise<void> {
    return this.#opened?.close() ?? Promise.resolve();
  }

  async #find(): Promise<z.infer<typeof directoryShape>> {
    const { directory } = this.options;
    if (this.#directory) return this.#directory;
    const answer = await this.#send(directory, { method: "GET" });
    if (answer.status !== 200) throw refusal(answer, `the directory ${directory} cannot be read`);
    this.#directory = parsed(directoryShape, answer);
    return this.#directory;
  }

  /** @param payload undefined to read (POST-as-GET) */
  async #post(
    url: string,
    payload: object | undefined,
    by: { readonly key: JWK; readonly url?: string },
    failure: string,
  ): Promise<Answer> {
    for (let tries = 0; ; tries++) {
      const nonce = await this.#takeNonce();
      const { d: _, ...publicKey } = by.key;
      const signed = await new FlattenedSign(
        new TextEncoder().encode(payload === undefined ? "" : JSON.stringify(payload)),
      )
        .setProtectedHeader({
          alg: ALGORITHM,
          nonce,
          url,
          ...(by.url === undefined ? { jwk: publicKey } : { kid: by.url }),
        })
        .sign(await importJWK(by.key, ALGORITHM));
      const answer = await this.#send(url, {
        method: "POST",
        headers: { "content-type": "application/jose+json" },
        body: JSON.stringify(signed),
      });
      if (answer.status < 300) return answer;
      const problem = refusal(answer, failure);
      if (problem.code !== "badNonce" || tries >= MAX_NONCES) throw problem;
    }
  }

  async #takeNonce(): Promise<string> {
    const known = this.#nonce;
    this.#nonce = undefined;
    if (known !== undefined) return known;
    const { newNonce } = await this.#find();
    const answer = await this.#send(newNonce, { method: "HEAD" });
    const fresh = this.#nonce;
    this.#nonce = undefined;
    if (fresh === undefined) throw refusal(answer, "the authority gave no nonce");
    return fresh;
  }

  async #send(
    url: string,
    asked: Pick<Dispatcher.RequestOptions, "method" | "body"> & { readonly headers?: Record<string, string> },
  ): Promise<Answer> {
    if (!url.startsWith("https://"))
      throw new AcmeProblem("malformed", `the authority names ${url}, which does not begin with https://`);
    try {
      const {
        statusCode: status,
        headers,
        body,
      } = await this.#others.request(new URL(url), {
        ...asked,
        // RFC 8555 section 6.1.
        headers: { ...asked.headers, "user-agent": `tunnelplane/${VERSION}` },
        signal: AbortSignal.timeout(MAX_MS),
      });
      const text = await body.text();
      const nonce = headers["replay-nonce"];
      if (typeof nonce === "string") this.#nonce = nonce;
      return { status, headers, text };
    } catch (error) {
      throw new AcmeProblem(
        "unreachable",
        `the authority cannot be asked: ${new URL(url).host}: ${reasonOf(error)}`,
      );
    }
  }
}

/** Happy eyeballs hide the reasons in a list. */
const reasonOf = (error: unknown): string =>
  error instanceof AggregateError ? error.errors.map(messageOf).join("; ") : messageOf(error);

function locationIn(headers: Answer["headers"]): string {
  const { location } = headers;
  if (typeof location === "string") return location;
  throw new AcmeProblem("malformed", "the authority did not say where to ask on");
}

function parsed<S extends z.ZodType>(shape: S, { text }: Answer): z.output<S> {
  try {
    return shape.parse(JSON.parse(text));
  } catch (error) {
    const [fault] = error instanceof z.ZodError ? error.issues : [];
    const where = fault ? `: ${fault.path.join(".")}: ${fault.message}` : "";
    throw new AcmeProblem("malformed", `the authority's answer has not the form of RFC 8555${where}`);
  }
}

function refusal({ text, status, headers }: Answer, what: string): AcmeProblem {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    const detail = `it answered ${status}${text.trim() === "" ? " without a reason" : ""}`;
    document = { type: `status ${status}`, detail };
  }
  const retryAfterMs = waitIn(headers["retry-after"]);
  const problem = problemIn(document, what, { retryAfterMs });
  const isRefused = status >= 400 && status < 500 && status !== 408 && status !== 429;
  return isRefused && !NOT_YET.includes(problem.code)
    ? new AcmeProblem(problem.code, problem.message, { retryAfterMs, isFinal: true })
    : problem;
}

/** The next page of a list (RFC 8288). */
function nextIn({ link }: Answer["headers"], base: string): string | undefined {
  const [, next] = /<([^>]{1,2000})>\s*;\s*rel="?next"?/.exec([link ?? []].flat().join(", ")) ?? [];
  return next === undefined ? undefined : new URL(next, base).href;
}

/** The time of a Retry-After header (RFC 9110 section 10.2.3): seconds, or a date. */
function waitIn(text: unknown): number | undefined {
  if (typeof text !== "string") return undefined;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, MAX_WAIT_MS) : undefined;
}

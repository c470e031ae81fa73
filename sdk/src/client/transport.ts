import type { ErrorBody } from "../contract/errors";
import { NAME_HEADER, nameHeaderOf } from "../contract/resourceName";
import { mistakeInProjectName, PROJECT_HEADER } from "../contract/role";
import type { AccessComparison } from "../meaning/access/comparison";
import type { Finding } from "../meaning/findings/finding";
import { tracing } from "../tracing";
import { ApiKeys, type Credentials } from "./apiKeys";
import { Connections, NOT_ANSWERED, NOT_CONNECTED, type RawAnswer, type Sent } from "./connections";
import {
  AuthenticationError,
  apiErrorFrom,
  ConnectionError,
  TimeoutError,
  UnexpectedAnswerError,
} from "./errors";
import type { ExchangedToken } from "./generated";
import type { JobIdentity } from "./jobIdentity";
import { type Patience, PatientSender } from "./patience";
import { IDEMPOTENCY_KEY, withRetries } from "./retry";

/** Where the server is, and with what to authenticate: an API key, or the identity of a job. */
export type TransportOptions = ConnectionSettings & Credentials;

interface ConnectionSettings {
  /** The server's address, for example `https://tunnels.example.com`. */
  readonly baseUrl: string;
  /**
   * The name of the project that requests are about. Default: the project of the API key, or the owner's only
   * one, or `default`.
   */
  readonly project?: string;
  /** How long one try may take, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
  /** How many connections are kept open at most. Default 16. */
  readonly connections?: number;
  /**
   * How long each request waits where the server asks for it with `Retry-After`; meanwhile requests go one
   * after the other. Default: three more tries of at most ten seconds each.
   */
  readonly patience?: Patience;
}

export interface RequestOptions {
  /**
   * The change is made only if the object still has this ETag; if not, it throws {@link
   * PreconditionFailedError}.
   */
  readonly ifMatch?: string;
  /**
   * Makes a creation idempotent: for 24 hours, the same key with the same request gets the first answer, and
   * with another request an {@link IdempotencyError}. 1 to 255 characters, ASCII without spaces.
   */
  readonly idempotencyKey?: string;
  /**
   * With `idempotencyKey`: the id of the object that the key created before. If that is still its answer, a
   * new object is created, which is the key's answer from then on.
   */
  readonly idempotencyKeyAfter?: string | undefined;
  /**
   * Of a creation or an update of an object: the name that it has in a program, for people; "" removes it.
   * At most 255 bytes: the rest is cut. Control characters become spaces. Default: a new object has no name,
   * another one keeps its own.
   */
  readonly name?: string;
  /** A dry run: check everything and answer as usual, but keep nothing. One-time secrets are null. */
  readonly dryRun?: boolean;
  /** With `dryRun`: adds `findings` to the answer, the effects of the change on callers. */
  readonly findings?: boolean;
  /**
   * Of an update of an object: the modules, and other optional parts, that it removes in the same change, by
   * their names in answers, for example `ip_restriction`.
   */
  readonly remove?: readonly string[];
  /** With `remove`: the parts that follow, as in `closedWithout`. What goes applies until then. */
  readonly removeAfter?: readonly string[] | undefined;
  /**
   * Of a creation: the id of the object that the new one replaces. The new one may claim its unique values;
   * the old one is deleted afterwards.
   */
  readonly replaces?: string;
  /**
   * Of a deletion of an edge or a route: whether the object that was created to replace it is deleted too. By
   * default, that one takes over.
   */
  readonly withReplacement?: boolean;
  /**
   * Of a deletion of a module or a route: the id of the edge or route that it belongs to and that will be
   * deleted next. That one serves nothing from now on.
   */
  readonly closes?: string | undefined;
  /**
   * Of a creation or update of an edge or a route: the parts that follow by requests of their own. It serves
   * nothing without them: `ip_restriction`, `path_prefix /admin`, `path_prefix /admin oidc`.
   */
  readonly closedWithout?: readonly string[] | undefined;
  /** Gives up on the answer. */
  readonly signal?: AbortSignal;
}

/** The answer to a dry run with findings. */
export interface WithFindings {
  /** The most severe first. */
  readonly findings: readonly Finding[];
  /** The requests that the change lets in, with a proof. */
  readonly access: AccessComparison;
  /** Sentences about parts that were too large to examine. */
  readonly finding_limits?: readonly string[];
}

/** The answer to a change; with `findings` if the request asks for them. */
export type ChangeAnswer<T, O> = O extends { readonly findings: true } ? T & WithFindings : T;
export type DeletionAnswer<O> = O extends { readonly findings: true } ? WithFindings : undefined;

export interface Answered<T> {
  readonly body: T;
  /** The ETag of the answered object, for `ifMatch`. */
  readonly etag: string | undefined;
  /** Whether this is the kept answer to an earlier request with the same idempotency key. */
  readonly replayed: boolean;
}

/** A page of a list, with its objects in a field of its own. */
interface Page {
  /** The address of the next page; null on the last one. */
  readonly next_page_uri: string | null;
  readonly [list: string]: unknown;
}

/** The parameters of a query; what is undefined is left out. */
type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export const queryText = (query: Query): string =>
  new URLSearchParams(
    Object.entries(query).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  ).toString();

const SERVICE_VERSION = "2";

/** The parameters of RFC 8693 that every exchange has. */
const EXCHANGE = {
  grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
  subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
};

/** Sends every request of this package to the server, and turns refusals into errors. */
export class Transport {
  readonly baseUrl: string;
  /** The name of the project that it was made for; undefined if the server chooses one. */
  readonly project: string | undefined;
  readonly #connections: Connections;
  readonly #patient: PatientSender | undefined;
  readonly #timeoutMs: number;
  readonly #keys: ApiKeys;

  constructor({
    baseUrl,
    project,
    timeoutMs = 30_000,
    connections = 16,
    patience,
    ...credentials
  }: TransportOptions) {
    if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol)) {
      throw new TypeError(`The base URL must begin with http:// or https://, got ${JSON.stringify(baseUrl)}`);
    }
    const mistake = project === undefined ? undefined : mistakeInProjectName(project);
    if (mistake !== undefined) throw new TypeError(`The project ${mistake}`);
    this.baseUrl = baseUrl.replace(/\/+$/, "");
    this.project = project;
    this.#timeoutMs = timeoutMs;
    this.#keys = new ApiKeys(credentials, (identity) => this.#exchange(identity));
    this.#connections = new Connections(this.baseUrl, { timeoutMs, connections });
    this.#patient = patience && new PatientSender((sent) => this.#retried(sent, true), patience);
  }

  /**
   * The objects of a list; requests the next page when it is needed.
   * @param path below the base URL, without its query
   * @param key the field of a page that holds them
   */
  async *list<T>(path: string, key: string, query: Query = {}): AsyncGenerator<T> {
    for (let next: string | null = `?${queryText(query)}`; next !== null; ) {
      const { body }: Answered<Page> = await this.request("GET", `${path}${next}`);
      yield* body[key] as readonly T[];
      // Take the query only: the server may know itself under another address than the client does.
      next = body.next_page_uri === null ? null : new URL(body.next_page_uri).search;
    }
  }

  /** @param path below the base URL, with its query */
  async request<T>(
    method: Sent["method"],
    path: string,
    body?: unknown,
    options: RequestOptions = {},
  ): Promise<Answered<T>> {
    const { ifMatch, idempotencyKey, idempotencyKeyAfter, name, signal } = options;
    const headers: Record<string, string> = { "service-version": SERVICE_VERSION };
    if (this.project !== undefined) headers[PROJECT_HEADER] = this.project;
    if (body !== undefined) headers["content-type"] = "application/json";
    if (ifMatch !== undefined) headers["if-match"] = ifMatch;
    if (idempotencyKey !== undefined) headers[IDEMPOTENCY_KEY] = idempotencyKey;
    if (idempotencyKeyAfter !== undefined) headers[`${IDEMPOTENCY_KEY}-after`] = idempotencyKeyAfter;
    if (name !== undefined) headers[NAME_HEADER] = nameHeaderOf(name);
    const span = tracing()?.current();
    if (span !== undefined) headers.traceparent = span.traceparent;
    const sent = {
      method,
      path: path + queryOf(options),
      headers,
      signal,
      body: body === undefined ? undefined : JSON.stringify(body),
    };
    const key = await this.#keys.current();
    try {
      return await this.#ask(withKey(sent, key));
    } catch (error) {
      // A key of a job ends early if its workload identity was changed. A refused request did nothing.
      const another = error instanceof AuthenticationError ? await this.#keys.another(key) : undefined;
      if (another === undefined) throw error;
      return this.#ask(withKey(sent, another));
    }
  }

  async #ask<T>(sent: Sent): Promise<Answered<T>> {
    const { statusCode, headers, text } = await this.#send(sent);
    const about = { etag: headers.etag, replayed: headers["idempotent-replayed"] === "true" };
    if (statusCode === 204) return { body: undefined as T, ...about };
    const json = this.#parse(sent, statusCode, text);
    if (statusCode < 400) return { body: json as T, ...about };
    if (!isErrorBody(json)) throw this.#unexpected(sent, statusCode);
    throw apiErrorFrom(json);
  }

  async #exchange(identity: JobIdentity): Promise<ExchangedToken> {
    const token = await identity.token(this.baseUrl);
    const { workloadIdentity: audience } = identity;
    const form = new URLSearchParams({ ...EXCHANGE, subject_token: token, ...(audience && { audience }) });
    const answered = await this.#ask<ExchangedToken>({
      method: "POST",
      path: "/token",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: form.toString(),
      signal: undefined,
    });
    return answered.body;
  }

  /** Closes the open connections. */
  close(): Promise<void> {
    return this.#connections.close();
  }

  async #send(sent: Sent): Promise<RawAnswer> {
    try {
      return await (this.#patient?.request(sent) ?? this.#retried(sent, false));
    } catch (error) {
      throw this.#connectionError(error as Error & { code?: string });
    }
  }

  #retried(sent: Sent, isPatient: boolean): Promise<RawAnswer> {
    return withRetries(sent, (once) => this.#connections.send(once), isPatient);
  }

  #connectionError(error: Error & { code?: string; cause?: unknown; errors?: { code?: string }[] }): Error {
    if (error.code === NOT_ANSWERED)
      return new TimeoutError(`${this.baseUrl} did not answer within ${this.#timeoutMs / 1000} s`, {
        cause: error,
      });
    const code = error.code ?? error.errors?.[0]?.code ?? error.message;
    if (UNTRUSTED.test(code))
      return new ConnectionError(
        `${this.baseUrl} shows a certificate that this machine does not trust (${code}); name the file of its authority in NODE_EXTRA_CA_CERTS`,
        { cause: error },
      );
    return new ConnectionError(`${this.baseUrl} does not answer (${REASONS[code] ?? code})`, {
      cause: error,
    });
  }

  #parse(sent: Sent, status: number, text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      throw this.#unexpected(sent, status);
    }
  }

  #unexpected({ method, path }: Sent, status: number): UnexpectedAnswerError {
    return new UnexpectedAnswerError(
      `${method} ${this.baseUrl}${path} was answered with status ${status}, but not by a tunnelplane server: check the base URL`,
    );
  }
}

const withKey = (sent: Sent, key: string): Sent => ({
  ...sent,
  headers: { ...sent.headers, authorization: `Bearer ${key}` },
});

function queryOf(options: RequestOptions): string {
  const { dryRun, findings, withReplacement, closes, closedWithout, replaces, remove, removeAfter } = options;
  const query = queryText({
    dry_run: dryRun || undefined,
    findings: findings || undefined,
    with_replacement: withReplacement || undefined,
    closes,
    // Routes in them may hold commas.
    closed_without: closedWithout?.map(encodeURIComponent).join(","),
    replaces,
    remove: remove?.join(",") || undefined,
    remove_after: removeAfter?.map(encodeURIComponent).join(","),
  });
  return query && `?${query}`;
}

/** OpenSSL's codes for a certificate from an unknown authority. */
const UNTRUSTED =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET_ISSUER_CERT(_LOCALLY)?|VERIFY_LEAF_SIGNATURE))$/;

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the host's name cannot be looked up",
  ECONNRESET: "the connection was reset",
  [NOT_CONNECTED]: "the connection took too long",
};

const isErrorBody = (json: unknown): json is ErrorBody =>
  typeof (json as ErrorBody | null)?.error_code === "string";

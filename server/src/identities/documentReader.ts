import { OtherServers } from "../util";

const CONNECT_MS = 3_000;
/** From the question to the end of the answer, in milliseconds. */
const MAX_MS = 5_000;
/** In bytes. The largest key sets of public issuers have some ten thousand. */
const MAX_BYTES = 256 * 1024;

/** An answer with another status than 200. */
export class NoDocumentError extends Error {
  constructor(readonly status: number) {
    super(`it answered ${status}`);
  }
}

/** A request to another server, as `fetch` takes it. */
interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text, or what prints as one. */
  readonly body?: unknown;
}

/** Reads documents of other servers: bounded in time and size, and without following redirects. */
export class DocumentReader {
  readonly #others: OtherServers;

  /** @param allowPrivate whether plain http, and hosts that are not on the internet, may be read from */
  constructor(private readonly allowPrivate: boolean) {
    this.#others = new OtherServers({
      ...{ connectMs: CONNECT_MS, answerMs: MAX_MS, allowPrivate },
      ...{ connections: 2, maxResponseSize: MAX_BYTES },
    });
  }

  /** @throws saying why it cannot be read; {@link NoDocumentError} where its server says so */
  async read(url: string): Promise<unknown> {
    const answer = await this.fetch(url, { headers: { accept: "application/json" } });
    if (answer.status !== 200) throw new NoDocumentError(answer.status);
    return JSON.parse(await answer.text());
  }

  /** Like the global `fetch`, for libraries that take one. The answer has arrived completely. */
  async fetch(url: string, { method = "GET", headers, body }: Asked = {}): Promise<Response> {
    const { protocol } = new URL(url);
    if (protocol !== "https:" && !(protocol === "http:" && this.allowPrivate))
      throw new Error(`${url} does not begin with https://`);
    const answer = await this.#others.request(new URL(url), {
      method: method as "GET", // undici lists the usual ones
      headers,
      body: body === undefined || body === null ? undefined : String(body),
      signal: AbortSignal.timeout(MAX_MS),
    });
    const text = await answer.body.text();
    const type = answer.headers["content-type"];
    return new Response(text === "" ? null : text, {
      status: answer.statusCode,
      headers: type === undefined ? {} : { "content-type": String(type) },
    });
  }

  close(): Promise<void> {
    return this.#others.close();
  }
}

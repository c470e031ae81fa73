import { Agent, request } from "undici";
import { publicOnly } from "./publicOnly";

const CONNECT_MS = 3_000;
/** From the question to the end of the answer, in milliseconds. */
const LONGEST_MS = 5_000;
/** In bytes. The largest key sets of public issuers have some ten thousand. */
const LARGEST = 256 * 1024;

/** An answer with another status than 200. */
export class NoDocumentError extends Error {
  constructor(readonly status: number) {
    super(`it answered ${status}`);
  }
}

/** Reads JSON documents of other servers: bounded in time and size, and without following redirects. */
export class DocumentReader {
  readonly #agent: Agent;

  /** @param allowPrivate whether plain http, and hosts that are not on the internet, may be read from */
  constructor(private readonly allowPrivate: boolean) {
    const options = { timeout: CONNECT_MS };
    this.#agent = new Agent({
      connect: allowPrivate ? options : publicOnly(options),
      connections: 2,
      headersTimeout: LONGEST_MS,
      bodyTimeout: LONGEST_MS,
      maxResponseSize: LARGEST,
    });
  }

  /** @throws saying why it cannot be read; {@link NoDocumentError} where its server says so */
  async read(url: string): Promise<unknown> {
    const { protocol } = new URL(url);
    if (protocol !== "https:" && !(protocol === "http:" && this.allowPrivate))
      throw new Error(`${url} does not begin with https://`);
    const { statusCode, body } = await request(url, {
      dispatcher: this.#agent,
      headers: { accept: "application/json" },
      signal: AbortSignal.timeout(LONGEST_MS),
    });
    if (statusCode === 200) return JSON.parse(await body.text());
    await body.dump();
    throw new NoDocumentError(statusCode);
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

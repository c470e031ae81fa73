import type { ExchangedToken } from "./generated";
import type { JobIdentity } from "./jobIdentity";

/** What a transport authenticates with: an API key, or a job's identity, which it exchanges for keys. */
export type Credentials =
  | { readonly apiKey: string; readonly identity?: undefined }
  | { readonly apiKey?: undefined; readonly identity: JobIdentity };

/** How much of a key's life is used: the rest is for requests in flight, and for clocks of another speed. */
const USED = 0.8;

/** The API key for the next request: a fixed one, or one that a job's identity was exchanged for. */
export class ApiKeys {
  #known: { readonly key: string; readonly until: number } | undefined;
  /** The exchange in progress, which requests at the same time share. */
  #inFlight: Promise<string> | undefined;

  /** @param exchange exchanges a token of this identity */
  constructor(
    private readonly credentials: Credentials,
    private readonly exchange: (identity: JobIdentity) => Promise<ExchangedToken>,
  ) {}

  /** A key that lasts for a while; exchanged when it is first needed, and before it ends. */
  async current(): Promise<string> {
    const { apiKey, identity } = this.credentials;
    if (identity === undefined) return apiKey;
    return this.#known && performance.now() < this.#known.until ? this.#known.key : this.#renew(identity);
  }

  /** Another key, in the place of one that the server does not take any more; undefined if there is none. */
  async another(refused: string): Promise<string | undefined> {
    const { identity } = this.credentials;
    if (identity === undefined) return undefined;
    return this.#known && this.#known.key !== refused ? this.#known.key : this.#renew(identity);
  }

  #renew(identity: JobIdentity): Promise<string> {
    this.#inFlight ??= this.#exchange(identity).finally(() => {
      this.#inFlight = undefined;
    });
    return this.#inFlight;
  }

  async #exchange(identity: JobIdentity): Promise<string> {
    const begun = performance.now();
    const { access_token: key, expires_in: seconds } = await this.exchange(identity);
    this.#known = { key, until: begun + seconds * 1000 * USED };
    return key;
  }
}

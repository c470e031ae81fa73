import type { FastifyReply, FastifyRequest } from "fastify";
import { BurstyRateLimiter, RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { hashSecret } from "../../secrets";
import { customerOf, isLoopback, RequestError } from "../../util";

export interface RateLimitOptions {
  /** How many requests an API key may make in a second, again and again; 0 for no limit. */
  readonly perSecond: number;
  /** Whether clients on this machine are limited too. */
  readonly loopback: boolean;
}

/** Beyond its limit, a key may make this many seconds' worth of requests more in each minute, so that a deployment may come in a burst. */
const BURST_SECONDS = 10;
const BURST_WINDOW_S = 60;
/** How many unknown keys one address may try in a minute, and how often each: enough for slips, and for nobody who guesses. */
const MOST_FAILURES = 30;
const FAILURE_WINDOW_S = 60;

/**
 * Limits how much one API key may ask for, and how many keys one address may guess.
 * Each server counts for itself, in memory: counting together would cost every request a write.
 */
export class RateLimits {
  readonly #requests: BurstyRateLimiter | undefined;
  /** How many different unknown keys came from an address. */
  readonly #guesses = new RateLimiterMemory({ points: MOST_FAILURES, duration: FAILURE_WINDOW_S });
  /** How often one unknown key came from an address. Kept for as many keys as an address may guess. */
  readonly #repeats = new RateLimiterMemory({ points: MOST_FAILURES, duration: FAILURE_WINDOW_S });
  readonly #policy: string;

  constructor(private readonly options: RateLimitOptions) {
    const { perSecond } = options;
    const burst = perSecond * BURST_SECONDS;
    this.#policy = `"steady";q=${perSecond};w=1, "burst";q=${burst};w=${BURST_WINDOW_S}`;
    if (perSecond === 0) return;
    this.#requests = new BurstyRateLimiter(
      new RateLimiterMemory({ points: perSecond, duration: 1 }),
      new RateLimiterMemory({ points: burst, duration: BURST_WINDOW_S }),
    );
  }

  /**
   * Counts a request of a key that was found valid, and refuses it when there were too many. Says how many more there
   * may be in the fields of draft-ietf-httpapi-ratelimit-headers-10.
   */
  async admit(keyId: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (!this.#requests || this.#isExempt(request)) return;
    const { left, exhausted } = await consume(this.#requests, keyId);
    reply.header("ratelimit-policy", this.#policy);
    reply.header("ratelimit", `"steady";r=${left.remainingPoints};t=${secondsUntil(left)}`);
    if (exhausted)
      throw tooMany(left, `This API key may make ${this.options.perSecond} requests in a second, and used up what it may make beyond that`);
  }

  /**
   * Counts a key that is not known here, and refuses it when it came too often, or when too many others came from its
   * address. Valid keys of the same address are never counted here nor refused for it.
   */
  async countUnknown(key: string, request: FastifyRequest): Promise<void> {
    const address = this.#addressOf(request);
    if (!address) return;
    const pair = `${address} ${hashSecret(key)}`;
    const [repeats, guesses] = [await this.#repeats.get(pair), await this.#guesses.get(address)];
    if (repeats && repeats.consumedPoints >= MOST_FAILURES)
      throw tooMany(repeats, `This API key is not known here, and came ${MOST_FAILURES} times from this address within a minute`);
    if (!repeats) {
      if (guesses && guesses.consumedPoints >= MOST_FAILURES)
        throw tooMany(guesses, `${MOST_FAILURES} API keys that are not known here came from this address within a minute`);
      await this.#guesses.penalty(address);
    }
    await this.#repeats.penalty(pair);
  }

  /** Whether a request comes from this machine, and not by way of a proxy on it. */
  #isExempt(request: FastifyRequest): boolean {
    return !this.options.loopback && isLoopback(request.ip) && !isForwarded(request);
  }

  /** Whom failures are counted for; nobody knows behind a proxy on this machine that is not trusted. */
  #addressOf(request: FastifyRequest): string | undefined {
    const isHidden = isLoopback(request.ip) && isForwarded(request);
    return isHidden || this.#isExempt(request) ? undefined : customerOf(request.ip);
  }
}

async function consume(limiter: BurstyRateLimiter, key: string): Promise<{ left: RateLimiterRes; exhausted: boolean }> {
  try {
    return { left: await limiter.consume(key), exhausted: false };
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    return { left: refusal, exhausted: true };
  }
}

const secondsUntil = ({ msBeforeNext }: RateLimiterRes): number => Math.max(1, Math.ceil(msBeforeNext / 1000));

function tooMany(left: RateLimiterRes, reason: string): RequestError {
  const seconds = secondsUntil(left);
  return new RequestError("rate_limited", `${reason}; try again in ${seconds} s`, { headers: { "retry-after": String(seconds) } });
}

/** Whether a proxy says that it passed the request on. Where it is trusted, `request.ip` is the client's. */
const isForwarded = ({ headers }: FastifyRequest): boolean => headers["x-forwarded-for"] !== undefined || headers.forwarded !== undefined;

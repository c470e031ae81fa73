import { hash } from "node:crypto";
import { counted } from "@tunnelplane/sdk/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { DEVICE_MS } from "../../auth";
import type { Siblings } from "../../process";
import { customerOf, isLoopback, RequestError } from "../../util";
import { callerAddress, isForwarded } from "../origin";
import { BurstyRateLimiter, type RateLimiterMemory, RateLimiterRes } from "./limiters";
import { SharedCounts } from "./sharedCounts";

export interface RateLimitOptions {
  /** Sustained requests per second of an API key; 0 for no limit. */
  readonly perSecond: number;
  /** Whether clients on this machine are limited too. */
  readonly loopback: boolean;
}

/**
 * Each minute, a key may exceed its limit by this many seconds' worth of requests, for the burst of a
 * deployment.
 */
const BURST_SECONDS = 10;
const BURST_WINDOW_S = 60;
/**
 * How many unknown keys an address may try in a minute, and how often each. Enough for mistakes, useless for
 * guessing.
 */
const MAX_FAILURES = 30;
const FAILURE_WINDOW_S = 60;

/** Exchanges of identity tokens from one address in a minute: many jobs may share one. */
const MAX_EXCHANGES = 120;
/** Steps of sign-ins from one address in a minute; each sign-in has two. */
const MAX_SIGN_INS = 120;

/** Command lines of one address that wait to be let in: a tenth of all that may. */
const MAX_DEVICES = 100;

/**
 * Limits the requests of an API key, and how many keys an address can guess.
 * Each server counts in its own memory: a shared count would cost a write for every request. Its processes
 * tell each other their counts.
 */
export class RateLimits {
  readonly #requests: BurstyRateLimiter | undefined;
  /** Different unknown keys by address. */
  readonly #guesses: RateLimiterMemory;
  /** Repetitions of an unknown key by address, for as many keys as an address may guess. */
  readonly #repeats: RateLimiterMemory;
  /** Exchanges of tokens by address, right or wrong. */
  readonly #exchanges: RateLimiterMemory;
  /** Steps of sign-ins by address. */
  readonly #signIns: RateLimiterMemory;
  /** Device codes by address, for as long as they last. */
  readonly #devices: RateLimiterMemory;
  readonly #policy: string;

  constructor(
    private readonly options: RateLimitOptions,
    siblings: Siblings,
  ) {
    const { perSecond } = options;
    const burst = perSecond * BURST_SECONDS;
    const counts = new SharedCounts(siblings);
    this.#guesses = counts.limiter("guesses", { points: MAX_FAILURES, duration: FAILURE_WINDOW_S });
    this.#repeats = counts.limiter("repeats", { points: MAX_FAILURES, duration: FAILURE_WINDOW_S });
    this.#exchanges = counts.limiter("exchanges", { points: MAX_EXCHANGES, duration: FAILURE_WINDOW_S });
    this.#signIns = counts.limiter("sign-ins", { points: MAX_SIGN_INS, duration: FAILURE_WINDOW_S });
    this.#devices = counts.limiter("devices", { points: MAX_DEVICES, duration: DEVICE_MS / 1000 });
    this.#policy = `"steady";q=${perSecond};w=1, "burst";q=${burst};w=${BURST_WINDOW_S}`;
    if (perSecond === 0) return;
    this.#requests = new BurstyRateLimiter(
      counts.limiter("steady", { points: perSecond, duration: 1 }),
      counts.limiter("burst", { points: burst, duration: BURST_WINDOW_S }),
    );
  }

  /**
   * Counts a request with a valid key, and refuses it above the limit. Reports the rest in the header fields
   * of draft-ietf-httpapi-ratelimit-headers-10.
   */
  async admit(keyId: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (!this.#requests || this.#isExempt(request)) return;
    const { left, exhausted } = await consume(this.#requests, keyId);
    reply.header("ratelimit-policy", this.#policy);
    reply.header("ratelimit", `"steady";r=${left.remainingPoints};t=${secondsUntil(left)}`);
    if (exhausted)
      throw tooMany(
        left,
        `This API key may make ${counted(this.options.perSecond, "request")} in a second, and has used up its burst allowance`,
      );
  }

  /**
   * Counts an unknown key or identity token, and refuses it if it came too often, or if its address tried too
   * many others. This never affects valid keys from the same address.
   */
  async countUnknown(key: string, request: FastifyRequest): Promise<void> {
    const address = this.#addressOf(request);
    if (!address) return;
    const pair = `${address} ${hash("sha256", key, "base64url")}`;
    const [repeats, guesses] = [await this.#repeats.get(pair), await this.#guesses.get(address)];
    if (repeats && repeats.consumedPoints >= MAX_FAILURES)
      throw tooMany(
        repeats,
        `This API key is not known here, and came ${MAX_FAILURES} times from this address within a minute`,
      );
    if (!repeats) {
      if (guesses && guesses.consumedPoints >= MAX_FAILURES)
        throw tooMany(
          guesses,
          `${MAX_FAILURES} API keys that are not known here came from this address within a minute`,
        );
      await this.#guesses.penalty(address);
    }
    await this.#repeats.penalty(pair);
  }

  /**
   * Counts an exchange of an identity token, before anything of it is looked at. Refuses it if its address
   * sent too many, or has guessed too often: checking signatures costs more than looking up a key.
   */
  async admitExchange(request: FastifyRequest): Promise<void> {
    const address = this.#addressOf(request);
    if (!address) return;
    const guesses = await this.#guesses.get(address);
    if (guesses && guesses.consumedPoints >= MAX_FAILURES)
      throw tooMany(
        guesses,
        `${MAX_FAILURES} API keys and identity tokens that are not known here came from this address within a minute`,
      );
    const { left, exhausted } = await consume(this.#exchanges, address);
    if (exhausted)
      throw tooMany(left, `An address may exchange ${counted(MAX_EXCHANGES, "identity token")} in a minute`);
  }

  /** Counts a step of a sign-in, and refuses it if its address took too many. */
  async admitSignIn(request: FastifyRequest): Promise<void> {
    const address = this.#addressOf(request);
    if (!address) return;
    const { left, exhausted } = await consume(this.#signIns, address);
    if (exhausted) throw tooMany(left, "Too many sign-ins come from this address");
  }

  /**
   * Counts a command line that waits to be let in, and refuses it if too many of its address wait.
   * @returns whether it is the first of its address
   */
  async admitDevice(request: FastifyRequest): Promise<boolean> {
    const address = this.#addressOf(request);
    if (!address) return true;
    const { left, exhausted } = await consume(this.#devices, address);
    if (exhausted)
      throw tooMany(left, `${counted(MAX_DEVICES, "command line")} of this address wait to be let in`);
    return left.consumedPoints === 1;
  }

  /** Whether a request comes from this machine itself, not through a proxy on it. */
  #isExempt(request: FastifyRequest): boolean {
    return !this.options.loopback && isLoopback(callerAddress(request)) && !isForwarded(request);
  }

  /**
   * The address to count failures for. Undefined behind an untrusted proxy on this machine, which hides the
   * client.
   */
  #addressOf(request: FastifyRequest): string | undefined {
    const isHidden = isLoopback(callerAddress(request)) && isForwarded(request);
    return isHidden || this.#isExempt(request) ? undefined : customerOf(callerAddress(request));
  }
}

async function consume(
  limiter: Pick<RateLimiterMemory, "consume">,
  key: string,
): Promise<{ left: RateLimiterRes; exhausted: boolean }> {
  try {
    return { left: await limiter.consume(key), exhausted: false };
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    return { left: refusal, exhausted: true };
  }
}

const secondsUntil = ({ msBeforeNext }: RateLimiterRes): number =>
  Math.max(1, Math.ceil(msBeforeNext / 1000));

function tooMany(left: RateLimiterRes, reason: string): RequestError {
  const seconds = secondsUntil(left);
  return new RequestError("rate_limited", `${reason}; try again in ${seconds} s`, {
    headers: { "retry-after": String(seconds) },
  });
}

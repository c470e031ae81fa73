import { gathered } from "@tunnelplane/sdk/jobs";
import type { Siblings } from "../../process";
import { RateLimiterMemory } from "./limiters";

/**
 * How often processes tell each other what they counted. Until then a key that uses several of them may
 * exceed its limit, by a tenth of a second's worth of requests for each.
 */
const TELL_EVERY_MS = 100;

type Counted = Record<string, Record<string, number>>;

/** Limiters that count together with those of the same name in the other processes of a server. */
export class SharedCounts {
  readonly #limiters = new Map<string, SharedLimiter>();
  /** Counts that the others do not know yet, by limiter and key. Each comes from a request. */
  #counted = new Map<string, Map<string, number>>();

  readonly #tellSoon = gathered(TELL_EVERY_MS, () => this.#tell());

  constructor(private readonly siblings: Siblings) {
    siblings.on("counted", (news) => {
      for (const [name, keys] of Object.entries(news as Counted))
        for (const [key, points] of Object.entries(keys)) void this.#limiters.get(name)?.add(key, points);
    });
  }

  /** @param name used only for one limiter */
  limiter(name: string, limit: Limit): RateLimiterMemory {
    if (this.siblings.count === 1) return new RateLimiterMemory(limit);
    const limiter = new SharedLimiter(limit, (key) => this.#note(name, key));
    this.#limiters.set(name, limiter);
    return limiter;
  }

  #note(name: string, key: string): void {
    this.#tellSoon();
    const keys = this.#counted.get(name) ?? new Map<string, number>();
    this.#counted.set(name, keys.set(key, (keys.get(key) ?? 0) + 1));
  }

  #tell(): void {
    const counted = [...this.#counted].map(([name, keys]) => [name, Object.fromEntries(keys)] as const);
    this.#counted = new Map();
    this.siblings.tell("counted", Object.fromEntries(counted));
  }
}

interface Limit {
  readonly points: number;
  /** In seconds. */
  readonly duration: number;
}

/** Says what it counts. */
class SharedLimiter extends RateLimiterMemory {
  constructor(
    limit: Limit,
    private readonly note: (key: string) => void,
  ) {
    super(limit);
  }

  override consume(key: string) {
    this.note(key);
    return super.consume(key);
  }

  override penalty(key: string) {
    this.note(key);
    return super.penalty(key);
  }

  /** Counts what another process counted. */
  add(key: string, points: number) {
    return super.penalty(key, points);
  }
}

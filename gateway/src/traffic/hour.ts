import type { OtherTraffic, TrafficLine } from "@tunnelplane/sdk/traffic";
import { type Counted, isAnswered, type Reported } from "./line";

/** The limit of different lines in an hour; requests beyond it are counted together. */
const MAX_LINES = 10_000;
/**
 * The limit of lines for requests that were not answered, so that a caller who tries many paths displaces
 * nobody.
 */
const MAX_REFUSED = 2_000;

/** Counts equal requests. */
export interface Counter {
  count: number;
}

/** The traffic of one hour. */
export class Hour {
  /** By the line without its hour and count. */
  readonly #counters = new Map<string, Counter>();
  readonly #other: Counter = { count: 0 };
  #refused = 0;

  /** @param begin `2026-11-22T14:00:00Z` */
  constructor(readonly begin: string) {}

  /** The counter of a line, or of the requests beyond the limit. */
  counter(reported: Reported | "other"): Counter {
    if (reported === "other") return this.#other;
    const { line, isLetIn } = reported;
    const text = textOf(line);
    return (
      this.#counters.get(text) ??
      (isLetIn || this.#refused < MAX_REFUSED ? this.#begin(text, isLetIn) : this.#other)
    );
  }

  /** Adds what was counted before. */
  add(line: TrafficLine | OtherTraffic): void {
    this.#counterOf(line).count += line.count;
  }

  #counterOf(line: TrafficLine | OtherTraffic): Counter {
    if ("other" in line) return this.#other;
    const text = textOf(line);
    return this.#counters.get(text) ?? this.#begin(text, isAnswered(line));
  }

  #begin(text: string, isLetIn: boolean): Counter {
    if (this.#counters.size >= MAX_LINES) return this.#other;
    if (!isLetIn) this.#refused++;
    const counter = { count: 0 };
    this.#counters.set(text, counter);
    return counter;
  }

  /** As JSON, a line each, and each line once. */
  *lines(): Generator<string> {
    for (const [text, { count }] of this.#counters) yield `${this.#start(count)},${text.slice(1)}\n`;
    const { count } = this.#other;
    if (count > 0) yield `${this.#start(count)},"other":true}\n`;
  }

  #start = (count: number): string => `{"hour":"${this.begin}","count":${count}`;
}

const FIELDS = [
  ...(["address", "host", "method", "path", "from", "client_certificate"] as const),
  ...(["token", "session", "user_agent", "tls", "status"] as const),
];

/** Always with the same fields in the same order, so that equal lines are equal texts. */
const textOf = (counted: Counted): string =>
  JSON.stringify(Object.fromEntries(FIELDS.map((name) => [name, counted[name]])));

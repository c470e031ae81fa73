import type { Example } from "../meaning/access/changes";
import { changeWords, type Naming } from "../meaning/access/words";
import { sourceOf } from "../meaning/networks/source";
import type { OtherTraffic, TrafficLine } from "./line";
import type { Changed, TrafficReplay } from "./replayed";
import { replayWords } from "./words";

/** What a change does to a request. */
export type Fate =
  | { readonly kind: "same" }
  | { readonly kind: "unknown"; readonly reason: string }
  | { readonly kind: Changed; readonly example: Example };

const KINDS: readonly Changed[] = ["refused", "opened", "moved"];

/** Of each kind, so many are told; beyond the second number, causes are counted as one. */
const MOST_TOLD = 10;
const MOST_CAUSES = 1000;
const MOST_NETWORKS = 100_000;

interface Cause {
  requests: number;
  readonly fate: Exclude<Fate, { readonly kind: "same" }>;
}

/** Counts requests by what a change does to them. */
export class Tally {
  damaged = 0;
  readonly #counts = { requests: 0, refused: 0, opened: 0, moved: 0, unknown: 0 };
  #firstHour: string | null = null;
  #lastHour: string | null = null;
  readonly #causes = new Map<string, Cause>();
  /** The cause of each fate that was counted; equal requests share one. */
  readonly #causeOf = new WeakMap<Fate, Cause>();
  readonly #networks = new Set<number | bigint>();

  constructor(private readonly nameOf: Naming) {}

  add(entry: TrafficLine | OtherTraffic, fate: Fate): void {
    const { hour, count } = entry;
    if (this.#firstHour === null || hour < this.#firstHour) this.#firstHour = hour;
    if (this.#lastHour === null || hour > this.#lastHour) this.#lastHour = hour;
    this.#counts.requests += count;
    if (fate.kind === "same") return;
    this.#counts[fate.kind] += count;
    if (fate.kind === "refused" && "from" in entry) this.#addNetwork(entry.from);
    const known = this.#causeOf.get(fate) ?? this.#causeLike(fate);
    this.#causeOf.set(fate, known);
    known.requests += count;
  }

  get result(): TrafficReplay {
    const causes = [...this.#causes.values()].sort((a, b) => b.requests - a.requests);
    const examples = KINDS.flatMap((kind) =>
      causes
        .flatMap(({ fate, requests }) => (fate.kind === kind ? [{ kind, requests, ...fate.example }] : []))
        .slice(0, MOST_TOLD),
    ).map((one) => ({ ...one, sentence: changeWords(one, this.nameOf) }));
    const reasons = causes.flatMap(({ fate, requests }) =>
      fate.kind === "unknown" ? [{ reason: fate.reason, requests }] : [],
    );
    const counted = {
      ...this.#counts,
      networks: this.#networks.size,
      damaged: this.damaged,
      first_hour: this.#firstHour,
      last_hour: this.#lastHour,
      examples,
      reasons: reasons.slice(0, MOST_TOLD),
    };
    return { sentence: replayWords(counted, reasons.length), ...counted };
  }

  #causeLike(fate: Cause["fate"]): Cause {
    const key = this.#causes.size < MOST_CAUSES ? causeOf(fate) : fate.kind;
    const cause = this.#causes.get(key) ?? { fate, requests: 0 };
    this.#causes.set(key, cause);
    return cause;
  }

  /** Each address as the /24 or /48 in which it is, so that what gateways record makes no difference. */
  #addNetwork(from: string): void {
    const source = sourceOf(from);
    if (source && this.#networks.size < MOST_NETWORKS)
      this.#networks.add(source.family === "v4" ? Math.floor(source.first / 256) : source.first >> 80n);
  }
}

/** Equal for requests that end otherwise because of the same. */
function causeOf(fate: Cause["fate"]): string {
  if (fate.kind === "unknown") return `unknown ${fate.reason}`;
  const { before, after } = fate.example;
  const decided = fate.kind === "opened" ? before : after;
  return JSON.stringify([fate.kind, decided.by, decided.status, before.address, after.address]);
}

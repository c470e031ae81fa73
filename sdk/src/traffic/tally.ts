import type { Example } from "../meaning/access/changes";
import { changeText, type Naming } from "../meaning/access/requestText";
import { sourceOf } from "../meaning/networks/source";
import type { OtherTraffic, TrafficLine } from "./line";
import type { Changed, TrafficReplay } from "./replayed";

/** The effect of a change on a request. */
export type Fate =
  | { readonly kind: "same" }
  | { readonly kind: "unknown"; readonly reason: string }
  | { readonly kind: Changed; readonly example: Example };

const KINDS: readonly Changed[] = ["refused", "opened", "moved"];

/** The limit of shown examples of each kind. Beyond the second number, causes are counted as one. */
const MAX_SHOWN = 10;
const MAX_CAUSES = 1000;
const MAX_NETWORKS = 100_000;

/** Why requests end as they do, and how many were counted. */
export interface Cause {
  readonly fate: Fate;
  requests: number;
}

/** Counts requests by what a change does to them. */
export class Tally {
  damaged = 0;
  readonly #counts = { requests: 0, refused: 0, opened: 0, moved: 0, unknown: 0 };
  #firstHour: string | null = null;
  #lastHour: string | null = null;
  readonly #causes = new Map<string, Cause>();
  readonly #networks = new Set<number | bigint>();

  constructor(private readonly nameOf: Naming) {}

  /** The cause that all requests have in common that change for the same reason. */
  causeOf(fate: Fate): Cause {
    const key = keyOf(fate);
    const known = this.#causes.get(key);
    if (known) return known;
    const shared = this.#causes.size < MAX_CAUSES ? key : fate.kind;
    const cause = this.#causes.get(shared) ?? { fate, requests: 0 };
    this.#causes.set(shared, cause);
    return cause;
  }

  add(entry: TrafficLine | OtherTraffic, cause: Cause): void {
    const { hour, count } = entry;
    const { kind } = cause.fate;
    if (this.#firstHour === null || hour < this.#firstHour) this.#firstHour = hour;
    if (this.#lastHour === null || hour > this.#lastHour) this.#lastHour = hour;
    this.#counts.requests += count;
    cause.requests += count;
    if (kind !== "same") this.#counts[kind] += count;
    if (kind === "refused" && "from" in entry) this.#addNetwork(entry.from);
  }

  get result(): TrafficReplay {
    const causes = [...this.#causes.values()].sort((a, b) => b.requests - a.requests);
    const examples = KINDS.flatMap((kind) =>
      causes
        .flatMap(({ fate, requests }) => (fate.kind === kind ? [{ kind, requests, ...fate.example }] : []))
        .slice(0, MAX_SHOWN),
    ).map((one) => ({ ...one, sentence: changeText(one, this.nameOf) }));
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
      reasons: reasons.slice(0, MAX_SHOWN),
    };
    return { sentence: replayWords(counted, reasons.length), ...counted };
  }

  /** Each address as the /24 or /48 in which it is, so that what gateways record makes no difference. */
  #addNetwork(from: string): void {
    const source = sourceOf(from);
    if (source && this.#networks.size < MAX_NETWORKS)
      this.#networks.add(source.family === "v4" ? Math.floor(source.first / 256) : source.first >> 80n);
  }
}

function keyOf(fate: Fate): string {
  if (fate.kind === "same") return fate.kind;
  if (fate.kind === "unknown") return `unknown ${fate.reason}`;
  const { before, after } = fate.example;
  const decided = fate.kind === "opened" ? before : after;
  return JSON.stringify([fate.kind, decided.by, decided.status, before.address, after.address]);
}

const number = (count: number): string => count.toLocaleString("en-US");
const counted = (count: number, one: string): string => `${number(count)} ${one}${count === 1 ? "" : "s"}`;

/**
 * "312 of 48,120 requests would be refused, from 4 networks; first: …; 0 would be newly answered; 17 cannot
 * be decided: a policy asks for the header `x-team`, not recorded."
 * @param reasons how many reasons there are why requests cannot be decided
 */
function replayWords(replay: Omit<TrafficReplay, "sentence">, reasons: number): string {
  const { requests, refused, opened, moved, unknown, networks, damaged } = replay;
  const first = (kind: Changed): string => {
    const example = replay.examples.find((one) => one.kind === kind);
    return example ? `; first: ${example.sentence}` : "";
  };
  const [reason] = replay.reasons;
  const others = reasons > 1 ? `, and ${counted(reasons - 1, "other reason")}` : "";
  const parts = [
    `${number(refused)} of ${counted(requests, "request")} would be refused${refused > 0 ? `, from ${counted(networks, "network")}` : ""}${first("refused")}`,
    `${number(opened)} would be newly answered${first("opened")}`,
    ...(moved > 0
      ? [`${number(moved)} would be answered by another backend or with another status${first("moved")}`]
      : []),
    ...(unknown > 0 && reason
      ? [`${number(unknown)} cannot be decided: ${asClause(reason.reason)}${others}`]
      : []),
  ];
  const left =
    damaged > 0 ? ` ${counted(damaged, "damaged line")} ${damaged === 1 ? "is" : "are"} left out.` : "";
  return `${parts.join("; ")}.${left}`;
}

/** A sentence as a part of another one. */
const asClause = (sentence: string): string =>
  sentence.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase()).replace(/\.$/, "");

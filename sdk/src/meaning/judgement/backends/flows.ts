import { oncePer } from "../../../contract/core/once";
import type { Model, ModelObject } from "../../model";
import { nameOf, referenceName } from "../../names";
import { canonical, holdsUnknown, idsIn, inOrder, isObject, shortHash, textIn } from "../../values";
import { UNKNOWN } from "../../world";

/** A part of the traffic, and where it ends. */
export interface Share {
  readonly percent: number;
  /** The end in words. */
  readonly words: string;
  /** Whether nothing answers there. */
  readonly nowhere?: true;
}

/** The ends of a backend's traffic. Ends with equivalent answers have the same key. */
export interface Flow {
  readonly shares: ReadonlyMap<string, Share>;
  readonly unknown: boolean;
  /** Whether it always answers, so that what comes behind it in a failover gets no request. */
  readonly always?: boolean;
}

export const BACKENDS = [
  "tunnel_group_backend",
  "static_backend",
  "http_response_backend",
  "failover_backend",
  "weighted_backend",
];

export const isBackend = ({ kind }: ModelObject): boolean => BACKENDS.includes(kind);

/** The backends of a weighted backend, with their weights. */
export const weightsOf = (thing: ModelObject): [reference: string, weight: number][] =>
  isObject(thing.fields.backends)
    ? Object.entries(thing.fields.backends)
        .sort(([a], [b]) => inOrder(a, b))
        .flatMap(([id, weight]): [string, number][] =>
          typeof weight === "number" && weight > 0 && id !== UNKNOWN ? [[id, weight]] : [],
        )
    : [];

/** The backends to which a backend passes traffic, in their order. */
export const childrenOf = (thing: ModelObject): string[] => {
  if (thing.kind === "weighted_backend") return weightsOf(thing).map(([id]) => id);
  return thing.kind === "failover_backend" ? idsIn(thing.fields, "backends", "backends").ids : [];
};

/** The ends of the traffic of every backend in a world, computed once. */
export class Flows {
  readonly #flows = new Map<ModelObject, Flow>();
  readonly #circling = new Set<ModelObject>();

  static readonly of = oncePer((model: Model) => new Flows(model));

  private constructor(private readonly model: Model) {
    const backends = BACKENDS.flatMap((kind) => model.of(kind));
    const children = new Map(backends.map((thing) => [thing, this.#inside(thing)]));
    const parents = new Map<ModelObject, ModelObject[]>(backends.map((thing) => [thing, []]));
    for (const [thing, inside] of children) for (const child of inside) parents.get(child)?.push(thing);
    // Peel from the ends upwards: the rest is in cycles, or leads to one. Peel that from the top downwards:
    // the rest is in cycles.
    const rest = peel(new Set(backends), children, parents, (thing) => this.#settle(thing));
    const leading: ModelObject[] = [];
    const round = peel(rest, parents, children, (thing) => leading.push(thing));
    for (const thing of round) {
      this.#circling.add(thing);
      this.#flows.set(
        thing,
        oneShare("cycle", {
          percent: 100,
          words: "backends that lead to each other in a circle",
          nowhere: true,
        }),
      );
    }
    for (const thing of leading.reverse()) this.#settle(thing);
  }

  isCircling(thing: ModelObject): boolean {
    return this.#circling.has(thing);
  }

  of(reference: string): Flow {
    const thing = this.model.find(reference);
    const known = thing && this.#flows.get(thing);
    if (known) return known;
    if (this.model.partial)
      return {
        ...oneShare(`outside ${reference}`, { percent: 100, words: `\`${referenceName(reference)}\`` }),
        unknown: false,
      };
    return oneShare("missing", {
      percent: 100,
      words: `\`${referenceName(reference)}\`, which does not exist`,
      nowhere: true,
    });
  }

  #inside(thing: ModelObject): ModelObject[] {
    return [...new Set(childrenOf(thing))].flatMap((id) => this.model.find(id) ?? []).filter(isBackend);
  }

  #settle(thing: ModelObject): void {
    this.#flows.set(thing, this.#flowOf(thing));
  }

  #flowOf(thing: ModelObject): Flow {
    const words = `\`${nameOf(thing)}\``;
    const { fields } = thing;
    const leaf = (content: unknown, more = ""): Flow => ({
      ...oneShare(`${thing.kind} ${canonical(content)}`, { percent: 100, words: words + more }),
      unknown: holdsUnknown(content),
    });
    switch (thing.kind) {
      case "weighted_backend":
        return settled(this.#weighted(weightsOf(thing)), holdsUnknown(fields.backends));
      case "failover_backend":
        return settled(this.#failover(childrenOf(thing)), holdsUnknown(fields.backends));
      case "static_backend":
        return leaf([fields.address, fields.tls], textIn(fields.address) ? ` (${fields.address})` : "");
      case "http_response_backend":
        return {
          ...leaf(
            [fields.status_code, shortHash(canonical([fields.body, fields.headers]))],
            ` (HTTP ${fields.status_code ?? 200})`,
          ),
          always: true,
        };
      default:
        return leaf(fields.labels);
    }
  }

  #weighted(weights: readonly [string, number][]): Flow {
    const sum = weights.reduce((total, [, weight]) => total + weight, 0);
    const shares = new Map<string, Share>();
    let unknown = false;
    for (const [id, weight] of weights) {
      const flow = this.of(id);
      unknown ||= flow.unknown;
      for (const [key, share] of flow.shares) {
        const percent = (share.percent * weight) / sum + (shares.get(key)?.percent ?? 0);
        shares.set(key, { ...share, percent });
      }
    }
    const [only, ...rest] = weights;
    return { shares, unknown, always: only && rest.length === 0 && this.of(only[0]).always };
  }

  #failover(ids: readonly string[]): Flow {
    const flows = ids.map((id) => this.of(id));
    const going = flows.filter(isGoing);
    const last = going.findIndex((flow) => flow.always);
    const alive = last < 0 ? going : going.slice(0, last + 1);
    const always = last >= 0;
    const [first] = alive;
    const unknown = flows.some((flow) => flow.unknown);
    if (!first) return { shares: new Map(), unknown };
    if (alive.length === 1) return { shares: first.shares, unknown, always };
    const key = `failover ${shortHash(alive.map(keyOf).join("\n"))}`;
    const text = alive.slice(0, 3).map(flowText).join(", else ") + (alive.length > 3 ? ", else others" : "");
    return {
      ...oneShare(key, { percent: 100, words: text.length > 300 ? `${text.slice(0, 300)}…` : text }),
      unknown,
      always,
    };
  }
}

/** Adds a share for backends that are not known yet, which may get all of the traffic. */
function settled(flow: Flow, unknown: boolean): Flow {
  if (!unknown) return flow;
  const { shares } = isGoing(flow)
    ? flow
    : oneShare("unknown", { percent: 100, words: "backends that are not known yet" });
  return { shares, unknown };
}

/** Repeatedly removes backends that have no others below them (topological sort). @returns the rest */
function peel(
  from: ReadonlySet<ModelObject>,
  below: ReadonlyMap<ModelObject, readonly ModelObject[]>,
  above: ReadonlyMap<ModelObject, readonly ModelObject[]>,
  take: (thing: ModelObject) => void,
): Set<ModelObject> {
  const left = new Set(from);
  const waiting = new Map(
    [...left].map((thing) => [thing, (below.get(thing) ?? []).filter((child) => left.has(child)).length]),
  );
  const free = [...left].filter((thing) => waiting.get(thing) === 0);
  for (let thing = free.pop(); thing; thing = free.pop()) {
    left.delete(thing);
    take(thing);
    for (const parent of above.get(thing) ?? []) {
      const count = (waiting.get(parent) ?? 0) - 1;
      waiting.set(parent, count);
      if (count === 0) free.push(parent);
    }
  }
  return left;
}

export const oneShare = (key: string, share: Share): Flow => ({
  shares: new Map([[key, share]]),
  unknown: false,
});

/** Whether any traffic gets an answer. */
export const isGoing = ({ shares }: Flow): boolean => [...shares.values()].some(({ nowhere }) => !nowhere);

const rounded = (percent: number): number => Math.round(percent * 100) / 100;

const sorted = ({ shares }: Flow): [string, Share][] =>
  [...shares].sort(([a, first], [b, second]) => second.percent - first.percent || (a < b ? -1 : 1));

/** A text that is equal for flows with the same ends in the same proportions. */
export const keyOf = (flow: Flow): string =>
  sorted(flow)
    .map(([key, { percent }]) => `${percent.toFixed(6)} ${key}`)
    .sort()
    .join("\n");

const MAX_SHOWN = 4;

/** The ends of traffic in words, with percentages if there are several. */
export function flowText(flow: Flow): string {
  const all = sorted(flow);
  if (all.length === 0) return "nowhere";
  if (all.length === 1) return all[0]?.[1].words ?? "";
  const shown = all.slice(0, MAX_SHOWN).map(([, { percent, words }]) => `${rounded(percent)} % to ${words}`);
  return shown.join(", ") + (all.length > MAX_SHOWN ? ` and ${all.length - MAX_SHOWN} others` : "");
}

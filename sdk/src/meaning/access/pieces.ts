import { predicatesIn } from "../judgement/asking";
import type { Decider, Predicate } from "../judgement/types";
import { type Language, TooLarge } from "../languages";
import { keyOf } from "../networks/networkSet";
import { canonical } from "../values";
import { isCondition, type Pieces } from "./combinations";
import { type ConditionPart, type Fragment, fragmentsOf, headerIn, type Part, type Texts } from "./fragments";
import { headerConditionsIn } from "./headerConditions";

/** The pieces of a part. */
export interface Cut {
  /** One for each piece, the most ordinary first. */
  readonly fragments: readonly Fragment[];
  /**
   * Why the part could not be divided. It then has one ordinary fragment, which proves nothing about others.
   */
  readonly reason?: string;
}

/** The pieces of an area's requests. */
export interface CutArea {
  /** Undefined if no path leads to the area. */
  readonly pieces: Pieces | undefined;
  /** Why not all requests can be decided; grows while pieces are asked for. */
  readonly reasons: Set<string>;
}

/** Cuts parts of requests into pieces: two values in one piece get the same answer from every predicate. */
export class Cutter {
  readonly #known = new Map<string, Cut>();

  /**
   * Cuts up the requests of an area.
   * @param more questions besides those that the deciders ask
   */
  cutArea(all: Texts, deciders: readonly Decider[], more: readonly Predicate[] = []): CutArea {
    const { fragments, reason } = this.cut("path", [], all);
    const reasons = new Set(reason === undefined ? [] : [reason]);
    const texts = { ...all, path: fragments[0]?.path };
    if (texts.path === undefined) return { pieces: undefined, reasons };
    const address = `${texts.name}:${texts.port}`;
    const asked = [...new Set(deciders)].map((decider) => decider.predicatesOf(address, texts.path));
    for (const { unknown } of asked) for (const reason of unknown) reasons.add(reason);
    const kept = new Set(asked.flatMap(({ keepsSlashes = [] }) => keepsSlashes));
    if (kept.size > 1) reasons.add(SLASHES);
    const predicates = [...asked.flatMap((answer) => answer.predicates), ...more];
    const conditions = asked.flatMap((answer) => answer.conditions);
    const headers = headersIn(predicates);
    const inConditions = counted(headersIn(conditions.flatMap(predicatesIn)));
    const inAll = counted(headers);
    const cutOnce = onceForEach((part: Exclude<Part, ConditionPart>) => {
      const cut = this.cut(part, predicates, texts);
      if (cut.reason !== undefined) reasons.add(cut.reason);
      return cut.fragments;
    });
    const onHeaders = headerConditionsIn(
      conditions,
      (name) => inAll.get(name) === inConditions.get(name),
      cutOnce,
    );
    const pieces: Pieces = {
      headers: [...inAll.keys()].filter((name) => name !== "user-agent"),
      conditions: onHeaders,
      fragments: (part) => (isCondition(part) ? onHeaders.fragments(part) : cutOnce(part)),
    };
    return { pieces, reasons };
  }

  cut(part: Exclude<Part, ConditionPart>, predicates: readonly Predicate[], texts: Texts): Cut {
    const asked = predicates.filter(({ dimension }) => (isName(dimension) ? "name" : dimension) === part);
    const ordinary = ordinaryOf(part, texts);
    if (ordinary && asked.length === 0) return { fragments: [ordinary] };
    const { all, none } = part === "path" ? texts.paths : part === "name" ? texts.names() : ANY;
    const key = JSON.stringify([part, ordinary, asked.map(textOf).sort(), all, none]);
    const known = this.#known.get(key) ?? cutUp(part, asked, texts);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(key, known);
    return known;
  }
}

/** Paths are compared in normal form, which has no encoded slash. */
const SLASHES = "`escaped_slashes` changes: whether paths with `%2F` or `%5C` are refused or pass.";

/** Most addresses of a world ask the same. */
const MAX_KNOWN = 1_000;
const ANY: Pick<Language, "all" | "none"> = { all: [], none: [] };

const headersIn = (predicates: readonly Predicate[]): string[] =>
  predicates.flatMap(({ dimension }) => (dimension.startsWith("header ") ? headerIn(dimension) : []));

function counted(keys: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

const isName = (dimension: string): boolean => dimension === "host" || dimension === "sni";

/** A value that the part can have whatever is asked; undefined if it can have every value. */
function ordinaryOf(part: Exclude<Part, ConditionPart>, { name, port, path }: Texts): Fragment | undefined {
  if (part === "name") return { address: `${name}:${port}` };
  return part === "path" && path !== undefined ? { path } : undefined;
}

/** Sets of networks hold numbers that JSON has no form for. */
const textOf = (predicate: Predicate): string =>
  predicate.dimension === "from" ? keyOf(predicate.networks) : canonical(predicate);

function cutUp(part: Exclude<Part, ConditionPart>, asked: readonly Predicate[], texts: Texts): Cut {
  try {
    return { fragments: fragmentsOf(part, asked, texts) };
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    return { fragments: [ordinaryOf(part, texts) ?? {}], reason: error.message };
  }
}

function onceForEach<K, V>(make: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>();
  return (key) => {
    const known = made.get(key) ?? make(key);
    made.set(key, known);
    return known;
  };
}

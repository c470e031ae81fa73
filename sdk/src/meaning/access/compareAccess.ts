import { decisionsIn } from "../decision/decider";
import type { Decider } from "../decision/types";
import { CREDENTIALS } from "../exposure/binding";
import { Model, type ModelObject, sameIn } from "../model";
import { nameOf } from "../names";
import { holdsUnknown, inOrder, textIn } from "../values";
import type { World } from "../world";
import { type Area, areasOf, Claims, type Serving } from "./areas";
import { type AccessChange, changesIn, type Opened } from "./changes";
import { headerIn, type Part, type Texts } from "./fragments";
import { Cutter } from "./pieces";
import { touchedBy } from "./touched";

/** What a change of declared objects does to requests. */
export interface AccessComparison {
  /**
   * `opens nothing` is proved: no request that was kept out is let in. `unproved`: nothing was found to open,
   * but not every request could be decided.
   */
  readonly verdict: "opens nothing" | "opens" | "unproved";
  /** Let in now, and not before. One entry for each address and what served its requests before. */
  readonly opened: readonly Opened[];
  /** Let in before, and not now. */
  readonly closed: readonly AccessChange[];
  /** Let in by both, by another backend or with another status. */
  readonly moved: readonly AccessChange[];
  /** Addresses of which some requests could not be decided, and why. */
  readonly unproved: readonly Unproved[];
  /** How many combinations of requests were tried. */
  readonly combinations: number;
}

export interface Unproved {
  readonly address: string;
  readonly reason: string;
}

/** Counted, not timed, so that every machine gives the same answer. */
const MOST_AT_AN_ADDRESS = 200_000;
const MOST_IN_ALL = 2_000_000;

/**
 * Compares what two worlds let in, by a proof of samples: every test that either world makes cuts requests
 * into pieces, and one request of each combination of pieces is decided in both worlds. Only addresses that
 * the change can touch are looked at.
 */
export function compareAccess(before: World, after: World): AccessComparison {
  const comparison = new Comparing(before, after);
  for (const area of comparison.areas()) comparison.judge(area);
  return comparison.result;
}

class Comparing {
  readonly #opened: Opened[] = [];
  readonly #closed: AccessChange[] = [];
  readonly #moved: AccessChange[] = [];
  readonly #unproved: Unproved[] = [];
  readonly #cutter = new Cutter();
  readonly #claims: { readonly before: Claims; readonly after: Claims };
  readonly #touched: ReadonlySet<string>;
  readonly #touchesAll: boolean;
  readonly #touchesCredentials: boolean;
  readonly #deciders: { readonly before: Decider; readonly after: Decider };
  #combinations = 0;

  constructor(before: World, after: World) {
    const same = sameIn(before, after);
    const models = { before: new Model(before, same), after: new Model(after, same) };
    this.#claims = {
      before: new Claims(models.before, before.ports),
      after: new Claims(models.after, after.ports),
    };
    this.#touched = touchedBy(models.before, models.after);
    const homeless = [models.before, models.after].flatMap((model) => model.ofUnknownOwner);
    const credentials = CREDENTIALS.flatMap((kind) => [...models.before.of(kind), ...models.after.of(kind)]);
    this.#touchesCredentials = credentials.some((thing) => this.#isTouched(thing));
    this.#touchesAll =
      models.before.partial !== models.after.partial || homeless.some((thing) => this.#isTouched(thing));
    this.#deciders = {
      before: decisionsIn(models.before, before.ports),
      after: decisionsIn(models.after, after.ports),
    };
    for (const edge of [...models.after.of("https_edge"), ...models.after.of("tls_edge")])
      if (holdsUnknown(edge.fields.hostports) && this.#isTouched(edge))
        this.#unproved.push({
          address: `(not known yet: ${nameOf(edge)})`,
          reason: "Not all of its hostports are known.",
        });
  }

  /** The areas that the change can touch, in the order of addresses. */
  *areas(): Generator<Area> {
    const { before, after } = this.#claims;
    for (const hostport of [...new Set([...before.hostports, ...after.hostports])].sort(inOrder)) {
      const routes = [before, after].map((claims) =>
        claims.at(hostport).flatMap((edge) => [edge, ...claims.routesOf(edge)]),
      );
      const all = routes.flat();
      const isSame = sameThings(routes[0] ?? [], routes[1] ?? []);
      const isAround =
        before.isListenedFor(hostport) !== after.isListenedFor(hostport) ||
        (this.#touchesCredentials && before.mayBeBound(hostport) !== after.mayBeBound(hostport));
      if (isSame && !isAround && !this.#touchesAll && !all.some((thing) => this.#isTouched(thing))) continue;
      const touchesEach =
        isAround || this.#touchesAll || all.some((thing) => this.#isTouched(thing) && mayTakeAnyPath(thing));
      for (const area of areasOf(hostport, before, after))
        if (touchesEach || this.#isTouchedArea(area)) yield area;
    }
  }

  /** Compares the requests of an area. */
  judge({ address, texts: all, before }: Area): void {
    const { fragments, reason } = this.#cutter.cut("path", [], all);
    const texts = { ...all, path: fragments[0]?.path };
    const reasons = new Set(reason === undefined ? [] : [reason]);
    // Without a path, other routes take all of them.
    if (texts.path !== undefined) this.#judge(texts, before, reasons);
    for (const one of reasons) this.#unproved.push({ address, reason: one });
  }

  #judge(texts: Texts, before: Serving, reasons: Set<string>): void {
    const deciders = [this.#deciders.before, this.#deciders.after] as const;
    const asked = deciders.map((one) => one.predicatesOf(`${texts.name}:${texts.port}`, texts.path));
    for (const { unknown } of asked) for (const one of unknown) reasons.add(one);
    const predicates = asked.flatMap((one) => one.predicates);
    const headers = predicates.map(({ dimension }) => dimension).filter((one) => one.startsWith("header "));
    const pieces = {
      headers: [...new Set(headers)].map(headerIn).filter((name) => name !== "user-agent"),
      fragments: onceForEach((part: Part) => {
        const { fragments, reason } = this.#cutter.cut(part, predicates, texts);
        if (reason !== undefined) reasons.add(reason);
        return fragments;
      }),
    };
    const found = changesIn(...deciders, pieces, {
      isNew: before.edges.length === 0 || (isHttp(before.edges) && before.routes.length === 0),
      most: Math.min(MOST_AT_AN_ADDRESS, MOST_IN_ALL - this.#combinations),
    });
    if (found.opened) this.#opened.push(found.opened);
    if (found.closed) this.#closed.push(found.closed);
    if (found.moved) this.#moved.push(found.moved);
    for (const one of found.unknown) reasons.add(one);
    this.#combinations += found.combinations;
  }

  get result(): AccessComparison {
    const verdict =
      this.#opened.length > 0 ? "opens" : this.#unproved.length > 0 ? "unproved" : "opens nothing";
    return {
      verdict,
      opened: this.#opened,
      closed: this.#closed,
      moved: this.#moved,
      unproved: this.#unproved,
      combinations: this.#combinations,
    };
  }

  #isTouched = ({ identity }: ModelObject): boolean => this.#touched.has(identity);

  /** Also areas of an edge that can be enforced in one world only, because of something elsewhere in it. */
  #isTouchedArea({ texts, before, after }: Area): boolean {
    const things = [...before.edges, ...before.routes, ...after.edges, ...after.routes];
    if (things.some((thing) => this.#isTouched(thing))) return true;
    if (!sameThings(before.edges, after.edges) || !sameThings(before.routes, after.routes)) return true;
    const address = `${texts.name}:${texts.port}`;
    const [served, serves] = [this.#deciders.before, this.#deciders.after].map(
      (decider) => decider.predicatesOf(address, texts.paths.familiar[0]).predicates.length > 0,
    );
    return served !== serves;
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

const sameThings = (some: readonly ModelObject[], others: readonly ModelObject[]): boolean =>
  some.length === others.length && some.every(({ identity }, index) => identity === others[index]?.identity);

const isHttp = (edges: readonly ModelObject[]): boolean => edges.every(({ kind }) => kind === "https_edge");

const mayTakeAnyPath = ({ kind, fields }: ModelObject): boolean =>
  kind === "https_edge_route" && (textIn(fields.match) === undefined || holdsUnknown(fields.match_type));

import { oncePer } from "../../contract/core/once";
import { isEdgeKind } from "../../contract/edges";
import type { Unserved } from "../judgement/types";
import { Model } from "../model";
import { UNKNOWN, type World, type WorldObject } from "../world";
import { unservedAt } from "./hostports";
import { textOf } from "./site";
import { Sites } from "./sites";

/**
 * The edges, and hostports of edges, that no gateway can serve as they are declared. All of it is closed.
 * Faults of certificates, issuers or the machine are known only to each gateway, and are in its report.
 * @param known of the worlds before this one, so that edges which did not change are not asked again
 */
export function unservable(world: World, known = new KnownFaults()): Unserved[] {
  const sites = new Sites(new Model(world), world.ports);
  known.among(world);
  const closed = [...sites.hostports.edges].flatMap((edge) => {
    const own = sites.hostports.of(edge).map(textOf).join();
    const fault = known.of(edge.object, own, () => sites.faultOf(edge));
    return fault === undefined ? [] : [unservedAt(edge, undefined, fault)];
  });
  return [...closed, ...sites.hostports.unserved];
}

/**
 * Why edges cannot be served, by their objects. Holds until something changes that an edge refers to, over
 * any number of objects, or that refers to it: rules, routes and modules that are objects of their own.
 */
export class KnownFaults {
  #others: ReadonlySet<WorldObject> = new Set();
  #partial: boolean | undefined;
  /** Counts worlds: an edge that was not in the last one is asked again. */
  #turn = 0;
  #touched: ReadonlySet<string> | "all" = "all";
  readonly #faults = new WeakMap<WorldObject, Known>();

  /** Forgets what may be different among other objects. */
  among({ objects, partial }: World): void {
    const others = new Set(objects.filter(({ kind }) => !isEdgeKind(kind)));
    const changed = [
      ...[...others].filter((one) => !this.#others.has(one)),
      ...[...this.#others].filter((one) => !others.has(one)),
    ];
    this.#turn++;
    this.#touched =
      partial !== this.#partial || changed.some(concernsAll)
        ? "all"
        : touchedBy(changed, new Set([...others, ...this.#others]), objects);
    this.#others = others;
    this.#partial = partial;
  }

  /** @param own the hostports that no other edge has */
  of(edge: WorldObject, own: string, ask: () => string | undefined): string | undefined {
    const known = this.#faults.get(edge);
    const holds = known?.own === own && known.turn === this.#turn - 1 && !this.#isTouched(edge);
    const fault = holds ? known.fault : ask();
    this.#faults.set(edge, { own, fault, turn: this.#turn });
    return fault;
  }

  #isTouched(edge: WorldObject): boolean {
    const touched = this.#touched;
    return touched === "all" || (touched.size > 0 && textsOf(edge).some((text) => touched.has(text)));
  }
}

interface Known {
  readonly own: string;
  readonly fault: string | undefined;
  readonly turn: number;
}

/** Rules of unknown policies may be of any, and credentials name what they may serve by other texts. */
const concernsAll = (object: WorldObject): boolean =>
  object.kind.endsWith("credential") || textsOf(object).includes(UNKNOWN);

/** The names of objects that changed, and of all that refer to these, or that these refer to. */
function touchedBy(
  changed: readonly WorldObject[],
  others: ReadonlySet<WorldObject>,
  all: readonly WorldObject[],
): ReadonlySet<string> {
  if (changed.length === 0) return new Set();
  const names = new Set([...others, ...all].flatMap(({ id, urn }) => [id ?? [], urn ?? []].flat()));
  const touched = new Set<string>();
  const left = new Set(others);
  let next: readonly WorldObject[] = changed;
  while (next.length > 0) {
    for (const one of next) {
      left.delete(one);
      for (const text of textsOf(one)) if (names.has(text)) touched.add(text);
    }
    next = [...left].filter((one) => textsOf(one).some((text) => touched.has(text)));
  }
  return touched;
}

/** All texts in an object; weighted backends name others by keys. */
const textsOf = oncePer(({ id, urn, fields }: WorldObject): readonly string[] => {
  const texts = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value === "string") texts.add(value);
    else if (typeof value === "object" && value !== null)
      for (const one of Object.entries(value)) one.forEach(look);
  };
  look([id, urn, fields]);
  return [...texts];
});

import { isEdgeKind } from "../../contract/edges";
import type { Unserved } from "../judgement/types";
import { Model } from "../model";
import type { World, WorldObject } from "../world";
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
 * Why edges cannot be served, by their objects. Holds as long as nothing else changes: backends, rules and
 * what else edges refer to, or routes and modules that are objects of their own.
 */
export class KnownFaults {
  #others: readonly WorldObject[] = [];
  #partial: boolean | undefined;
  #faults = new WeakMap<WorldObject, { readonly own: string; readonly fault: string | undefined }>();

  /** Forgets what was known among other objects. */
  among({ objects, partial }: World): void {
    const dependencies = objects.filter(({ kind }) => !isEdgeKind(kind));
    const isSame =
      partial === this.#partial &&
      dependencies.length === this.#others.length &&
      dependencies.every((object, index) => object === this.#others[index]);
    if (!isSame) this.#faults = new WeakMap();
    this.#others = dependencies;
    this.#partial = partial;
  }

  /** @param own the hostports that no other edge has */
  of(edge: WorldObject, own: string, ask: () => string | undefined): string | undefined {
    const known = this.#faults.get(edge);
    if (known?.own === own) return known.fault;
    const fault = ask();
    this.#faults.set(edge, { own, fault });
    return fault;
  }
}

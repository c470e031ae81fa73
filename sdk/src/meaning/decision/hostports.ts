import { oncePer } from "../../contract/core/once";
import type { Hostport } from "../judgement/check";
import {
  heldByOlder,
  isHostportOf,
  isWildcard,
  portHeldByOlder,
  readHostport,
  strangeHostport,
  wildcardsAbove,
} from "../judgement/rules/names";
import type { Unserved } from "../judgement/types";
import type { Model, ModelObject } from "../model";
import { nameOf } from "../names";
import { holdsUnknown, inOrder, textsIn } from "../values";
import type { WorldObject } from "../world";
import { textOf } from "./site";

/**
 * The result of the look-up of an address: an edge's hostport, one that covers more labels than it may, one
 * of a TCP edge at the same port, or nothing.
 */
export type Found =
  | { readonly hostport: Hostport; readonly edge: ModelObject }
  | { readonly tooDeep: Hostport; readonly edge: ModelObject }
  | { readonly otherName: Hostport; readonly edge: ModelObject }
  | undefined;

/** The texts that an edge declares, read once: from one world to the next most edges are the same. */
const declaredBy = oncePer(({ kind, fields }: WorldObject) =>
  textsIn(fields.hostports).map((text) => {
    const hostport = isHostportOf(kind, text) ? readHostport(text) : undefined;
    return { text, hostport, address: hostport ? textOf(hostport) : text };
  }),
);

/** The edges of a world by their hostports. */
export class Hostports {
  readonly #owners = new Map<string, { readonly hostport: Hostport; readonly edge: ModelObject }>();
  /** TCP edges by their ports: connections say no name. */
  readonly #tcp = new Map<number, { readonly hostport: Hostport; readonly edge: ModelObject }>();
  /** The hostports of each edge that are its own. */
  readonly #of = new Map<ModelObject, Hostport[]>();
  /** Hostports that no gateway serves. */
  readonly unserved: readonly Unserved[];
  /** Whether an edge has hostports that are not known yet. */
  readonly isUnsure: boolean;

  constructor(model: Model, ports: readonly number[] | undefined) {
    const edges = model.edges.sort((a, b) => inOrder(ageOf(a), ageOf(b)));
    const named = new Map<number, ModelObject>();
    const unserved: Unserved[] = [];
    for (const edge of edges) {
      const own: Hostport[] = [];
      for (const { text, hostport, address } of declaredBy(edge.object)) {
        const refuse = (reason: string) => unserved.push(unservedAt(edge, text, reason));
        if (!hostport) {
          refuse(strangeHostport(text));
          continue;
        }
        const taken = this.#owners.get(address);
        if (taken?.edge === edge) continue;
        if (taken) {
          refuse(heldByOlder(address, taken.edge.object.id ?? nameOf(taken.edge)));
          continue;
        }
        const isTcp = edge.kind === "tcp_edge";
        const atPort = this.#tcp.get(hostport.port)?.edge ?? (isTcp ? named.get(hostport.port) : undefined);
        if (atPort && atPort !== edge) {
          refuse(portHeldByOlder(textOf(hostport), atPort.object.id ?? nameOf(atPort)));
          continue;
        }
        this.#owners.set(address, { hostport, edge });
        if (isTcp) {
          if (!atPort) {
            this.#tcp.set(hostport.port, { hostport, edge });
            own.push(hostport);
          }
          continue;
        }
        named.set(hostport.port, edge);
        if (ports && !ports.includes(hostport.port))
          refuse(`${text} is not served, because no gateway listens for port ${hostport.port}`);
        else own.push(hostport);
      }
      this.#of.set(edge, own);
    }
    this.unserved = unserved;
    this.isUnsure = edges.some(({ fields }) => holdsUnknown(fields.hostports));
  }

  get edges(): IterableIterator<ModelObject> {
    return this.#of.keys();
  }

  /** The hostports of an edge that gateways listen for. */
  of(edge: ModelObject): readonly Hostport[] {
    return this.#of.get(edge) ?? [];
  }

  /** In lower case and sorted. */
  get all(): string[] {
    return [...this.#owners.keys()].sort(inOrder);
  }

  /**
   * The hostport that takes a name: the first of its port for TCP, itself, or the closest wildcard above it.
   */
  find({ host, port }: Hostport): Found {
    const tcp = this.#tcp.get(port);
    if (tcp) return this.#owners.has(`${host}:${port}`) ? tcp : { otherName: tcp.hostport, edge: tcp.edge };
    const exact = isWildcard(host) ? undefined : this.#owners.get(`${host}:${port}`);
    if (exact) return exact;
    const above = wildcardsAbove(host);
    for (const wildcard of above) {
      const found = this.#owners.get(`${wildcard}:${port}`);
      if (found) return wildcard === above[0] ? found : { tooDeep: found.hostport, edge: found.edge };
    }
    return undefined;
  }
}

/** Ids of all kinds sort by time behind their prefix; an object that does not exist yet is the youngest. */
const ageOf = ({ object, identity }: ModelObject): string =>
  object.id === undefined ? `~${identity}` : object.id.slice(object.id.indexOf("_") + 1);

export const unservedAt = (edge: ModelObject, hostport: string | undefined, reason: string): Unserved => ({
  kind: edge.kind,
  id: edge.object.id ?? null,
  name: nameOf(edge),
  ...(hostport !== undefined && { hostport }),
  reason,
});

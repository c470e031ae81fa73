import { KnownFaults, unservable, type World, type WorldObject } from "@tunnelplane/sdk/meaning";
import { ENFORCED_KINDS } from "./kinds";
import type { Objects } from "./model";

/** What no gateway can serve, by the ids of edges. */
export interface Unserved {
  /** Why whole edges are closed. */
  readonly edges: ReadonlyMap<string, string>;
  /** Why hostports are not served: by the edge, and then by the text that it declares. */
  readonly hostports: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/** From one translation to the next most edges are the same objects, and are not asked again. */
const known = new KnownFaults();

/** Asks what decisions and reviews ask, too. */
export function unservedOf(objects: Objects): Unserved {
  const edges = new Map<string, string>();
  const hostports = new Map<string, Map<string, string>>();
  for (const { id, hostport, reason } of unservable(worldOf(objects), known)) {
    if (id === null) continue;
    if (hostport === undefined) edges.set(id, reason);
    else hostports.set(id, (hostports.get(id) ?? new Map<string, string>()).set(hostport, reason));
  }
  return { edges, hostports };
}

/** The objects without all edges but some. */
export function only(objects: Objects, ids: ReadonlySet<string>): Objects {
  const among = <T extends { readonly id: string }>(edges: readonly T[]) =>
    edges.filter(({ id }) => ids.has(id));
  return {
    ...objects,
    tls_edge: among(objects.tls_edge),
    tcp_edge: among(objects.tcp_edge),
    https_edge: among(objects.https_edge),
  };
}

/** The objects as decisions and reviews read them. */
export const worldOf = (objects: Objects): World => ({
  objects: ENFORCED_KINDS.flatMap((kind) => objects[kind].map((fields) => objectOf(kind, fields))),
  // Objects that cannot be read are missing.
  partial: objects.unreadable.size > 0,
});

const made = new WeakMap<object, WorldObject>();

/** The same as long as the fields are. */
function objectOf(kind: string, fields: Objects[(typeof ENFORCED_KINDS)[number]][number]): WorldObject {
  const found = made.get(fields) ?? { kind, id: fields.id, fields: { ...fields } };
  made.set(fields, found);
  return found;
}

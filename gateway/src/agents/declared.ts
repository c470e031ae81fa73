import { grouped } from "../envoy/indexes";
import type { Objects } from "../envoy/model";
import { readHostport, socketOfHostport, socketOfLabels } from "../envoy/names";
import type { Bind } from "./bindAddress";

type Labels = Readonly<Record<string, string>>;

/** The binds that agents may serve, by the name of the Unix socket that Envoy connects to. */
export interface Declared {
  /** Sockets of hostports. */
  readonly hostports: ReadonlySet<string>;
  /**
   * Tunnel groups by their first label, so that a look for groups reads only those of an agent's own labels.
   */
  readonly groups: ReadonlyMap<string, readonly { readonly socket: string; readonly labels: Labels }[]>;
}

const textsOf = (labels: Labels): string[] => Object.entries(labels).map(([key, value]) => `${key}=${value}`);

/** Hostports of edges without a backend of their own, and tunnel groups. */
export function declaredBy({ tls_edge, https_edge, tunnel_group_backend }: Objects): Declared {
  const open = [
    ...tls_edge.filter(({ backend }) => !backend),
    ...https_edge.filter(({ routes }) => routes.some(({ backend }) => !backend)),
  ];
  return {
    hostports: new Set(
      open.flatMap(({ hostports }) => hostports.map((one) => socketOfHostport(readHostport(one)))),
    ),
    groups: grouped(
      tunnel_group_backend.map(({ labels }) => ({ socket: socketOfLabels(labels), labels })),
      ({ labels }) => textsOf(labels).slice(0, 1),
    ),
  };
}

/** The sockets that a bind serves: of the same hostport, or of each group whose labels it all has. */
export function socketsServedBy(bound: Bind, { hostports, groups }: Declared): ReadonlySet<string> {
  if (!("labels" in bound))
    return new Set([socketOfHostport(bound)].filter((socket) => hostports.has(socket)));
  const candidates = textsOf(bound.labels).flatMap((text) => groups.get(text) ?? []);
  const served = candidates.filter(({ labels }) =>
    Object.entries(labels).every(([key, value]) => bound.labels[key] === value),
  );
  return new Set(served.map(({ socket }) => socket));
}

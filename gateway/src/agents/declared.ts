import { DEFAULT_PROJECT, own } from "@tunnelplane/sdk/contract";
import { readHostport, socketOfHostport, socketOfLabels } from "../envoy/hostports";
import { grouped } from "../envoy/indexes";
import type { Objects } from "../envoy/model";
import type { Bind } from "./bindAddress";

type Labels = Readonly<Record<string, string>>;

/** The binds of an agent. */
export interface Bound {
  readonly bind: Bind;
  /** Ids of the projects whose hostports and labels its credential may serve. */
  readonly projects: readonly string[];
}

interface Group {
  readonly socket: string;
  readonly labels: Labels;
  /** The id of its project. */
  readonly project: string;
}

/** The binds that agents may serve, by the name of the Unix socket that Envoy connects to. */
export interface Declared {
  /** The projects of hostports, by their sockets. */
  readonly hostports: ReadonlyMap<string, string>;
  /**
   * Tunnel groups by their first label, so that a look for groups reads only those of an agent's own labels.
   */
  readonly groups: ReadonlyMap<string, readonly Group[]>;
}

const textsOf = (labels: Labels): string[] => Object.entries(labels).map(([key, value]) => `${key}=${value}`);

/** Hostports of edges without a backend of their own, and tunnel groups. */
export function declaredBy({ tls_edge, tcp_edge, https_edge, tunnel_group_backend }: Objects): Declared {
  const open = [
    ...[...tls_edge, ...tcp_edge].filter(({ backend }) => !backend),
    ...https_edge.filter(({ routes }) => routes.some(({ backend }) => !backend)),
  ];
  return {
    hostports: new Map(
      open.flatMap(({ hostports, project_id: project = DEFAULT_PROJECT.id }) =>
        hostports.map((one) => [socketOfHostport(readHostport(one)), project] as const),
      ),
    ),
    groups: grouped(
      tunnel_group_backend.map(({ labels, project_id: project = DEFAULT_PROJECT.id }) => ({
        socket: socketOfLabels(labels, project),
        labels,
        project,
      })),
      ({ labels }) => textsOf(labels).slice(0, 1),
    ),
  };
}

/**
 * The sockets that a bind serves, in the projects of its credential: of the same hostport, or of each group
 * whose labels it all has.
 */
export function socketsServedBy(
  { bind, projects }: Bound,
  { hostports, groups }: Declared,
): ReadonlySet<string> {
  const mayServe = (project: string | undefined) => project !== undefined && projects.includes(project);
  if (!("labels" in bind))
    return new Set([socketOfHostport(bind)].filter((socket) => mayServe(hostports.get(socket))));
  const candidates = textsOf(bind.labels).flatMap((text) => groups.get(text) ?? []);
  const served = candidates.filter(
    ({ labels, project }) =>
      mayServe(project) && Object.entries(labels).every(([key, value]) => own(bind.labels, key) === value),
  );
  return new Set(served.map(({ socket }) => socket));
}

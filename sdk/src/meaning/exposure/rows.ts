import { type Readings, SHOWN } from "../aspects";
import { readTls } from "../aspects/tls";
import { addressOf } from "../judgement/address";
import { Credentials } from "../judgement/backends/binding";
import { readTraffic, type Traffic } from "../judgement/backends/traffic";
import { type Part, partOfObject, type Reading } from "../judgement/reading";
import type { Model, ModelObject } from "../model";
import { nameOf } from "../names";
import { holdsUnknown, idsIn, inOrder, textIn, textsIn } from "../values";

/** The exposure of one address, with the origin of each part. */
export interface Row extends Readings {
  readonly address: string;
  /** False if a hostport or path is not known yet. */
  readonly addressKnown: boolean;
  /** The TLS edge, TCP edge or route that handles the address. */
  readonly holder: ModelObject;
  /** The edge; undefined if it is missing. */
  readonly edge?: ModelObject;
  /** What names the address. */
  readonly source: Part;
  readonly traffic: Reading<Traffic>;
  /** What takes over once the edge or the route is deleted. */
  readonly heirs: readonly ModelObject[];
}

const nothing = <T>(value: T, parts: Reading<T>["parts"] = []): Reading<T> => ({
  value,
  parts,
  unknown: false,
  maybeOff: false,
});

/** Every address of a world, in order. If two objects claim an address, the first by identity gets it. */
export function rowsOf(model: Model): Row[] {
  const credentials = new Credentials(model);
  const rows = [
    ...(["tls_edge", "tcp_edge"] as const).flatMap((kind) =>
      model.of(kind).flatMap((edge) => edgeRows(model, edge, credentials)),
    ),
    ...model.of("https_edge_route").flatMap((route) => routeRows(model, route, credentials)),
  ];
  const byAddress = new Map<string, Row>();
  for (const row of rows) if (!byAddress.has(row.address)) byAddress.set(row.address, row);
  return [...byAddress.values()].sort((a, b) => inOrder(a.address, b.address));
}

/** The hostports of an edge; a text for people if they are not known yet. */
function hostportsOf(edge: ModelObject | undefined): { hostport: string; known: boolean }[] {
  if (!edge) return [];
  const served = textsIn(edge.fields.hostports).map((hostport) => ({
    hostport: hostport.toLowerCase(),
    known: true,
  }));
  const unknown = { hostport: `(not known yet: ${nameOf(edge)})`, known: false };
  return holdsUnknown(edge.fields.hostports) ? [...served, unknown] : served;
}

/** Each aspect, read where the address has it: at its route, or at its edge. */
function readingsAt(model: Model, holder: ModelObject, edge: ModelObject): Readings {
  const tls = readTls(edge);
  const endsUpstream = holder.kind === "tls_edge" && tls.value.ends_at === "upstream";
  const readings = SHOWN.map(({ of, shows, name }) => {
    const at = [holder, edge].find(({ kind }) => Object.hasOwn(of, kind));
    // A route whose edge is not known has none of the edge's modules, and a TLS edge none of a route's.
    if (!at && !Object.hasOwn(of, "https_edge")) return [name, nothing(shows.absent)];
    const read = shows.read({ model, holder: at ?? edge });
    // If TLS ends upstream, the edge cannot check the traffic.
    return endsUpstream && shows.readsTraffic
      ? [name, nothing(shows.absent, [...read.parts, ...tls.parts])]
      : [name, read];
  });
  return Object.fromEntries(readings) as Readings; // typed name by name above
}

function edgeRows(model: Model, edge: ModelObject, credentials: Credentials): Row[] {
  const readings = readingsAt(model, edge, edge);
  return hostportsOf(edge).map(({ hostport, known }) => ({
    address: hostport,
    addressKnown: known,
    source: partOfObject(edge, "hostports", hostport),
    holder: edge,
    edge,
    ...readings,
    traffic: readTraffic(model, edge, hostport, credentials),
    heirs: model.takingOverFrom(edge),
  }));
}

function routeRows(model: Model, route: ModelObject, credentials: Credentials): Row[] {
  const { ids } = idsIn(route.fields, "edge_id", "edge_id");
  const edge = ids[0] === undefined ? undefined : model.find(ids[0]);
  const unseen = { hostport: `(not known yet: ${nameOf(route)})`, known: false };
  const hostports = edge
    ? hostportsOf(edge)
    : model.partial || holdsUnknown(route.fields.edge_id)
      ? [unseen]
      : [];
  const match = textIn(route.fields.match);
  const path = match ?? `/(not known yet: ${nameOf(route)})`;
  const exact = route.fields.match_type === "exact_path";
  const heirs = [route, ...(edge ? [edge] : [])].flatMap((one) => model.takingOverFrom(one));
  const common = { holder: route, edge, heirs, ...readingsAt(model, route, edge ?? route) };
  return hostports.map(({ hostport, known }) => ({
    address: addressOf(hostport, { match: path, match_type: exact ? "exact_path" : "path_prefix" }),
    addressKnown: known && match !== undefined && !holdsUnknown(route.fields.match_type),
    source: partOfObject(route, "match", [hostport, path]),
    ...common,
    traffic: readTraffic(model, route, hostport, credentials),
  }));
}

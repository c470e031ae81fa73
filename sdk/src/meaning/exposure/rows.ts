import { type Action, readActions } from "../aspects/actions";
import { type Authority, readClientCertificate } from "../aspects/clientCertificate";
import { readNetworks } from "../aspects/networks";
import { readSignIn, type SignIn } from "../aspects/signIn";
import { readTls, type Tls } from "../aspects/tls";
import { readToken, type TokenCheck } from "../aspects/token";
import { readUserAgents, type UserAgents } from "../aspects/userAgents";
import type { Model, ModelObject } from "../model";
import { nameOf } from "../names";
import type { NetworkSet } from "../networks/networkSet";
import { holdsUnknown, idsIn, inOrder, textIn, textsIn } from "../values";
import { Credentials } from "./binding";
import { type Part, partOfObject, type Reading } from "./reading";
import { readTraffic, type Traffic } from "./traffic";

/** The exposure of one address, with the origin of each part. */
export interface Row {
  readonly address: string;
  /** False if a hostport or path is not known yet. */
  readonly addressKnown: boolean;
  /** The TLS edge or route that handles the address. */
  readonly holder: ModelObject;
  /** The edge; undefined if it is missing. */
  readonly edge?: ModelObject;
  readonly place: Part;
  readonly networks: Reading<NetworkSet>;
  readonly clientCertificate: Reading<readonly Authority[] | null>;
  readonly tls: Reading<Tls>;
  readonly signIn: Reading<SignIn | null>;
  readonly token: Reading<TokenCheck | null>;
  readonly userAgents: Reading<UserAgents | null>;
  readonly actions: Reading<readonly Action[]>;
  readonly traffic: Reading<Traffic>;
}

const nothing = <T>(value: T, cause: Reading<unknown>): Reading<T> => ({
  value,
  parts: cause.parts,
  unknown: false,
  maybeOff: false,
});

/** Every address of a world, in order. If two objects claim an address, the first by identity gets it. */
export function rowsOf(model: Model): Row[] {
  const credentials = new Credentials(model);
  const rows = [
    ...model.of("tls_edge").flatMap((edge) => tlsRows(model, edge, credentials)),
    ...model.of("https_edge_route").flatMap((route) => routeRows(model, route, credentials)),
  ];
  const byAddress = new Map<string, Row>();
  for (const row of rows) if (!byAddress.has(row.address)) byAddress.set(row.address, row);
  return [...byAddress.values()].sort((a, b) => inOrder(a.address, b.address));
}

/** The text of an address: a hostport, and the route's path if there is one. */
export function addressOf(
  hostport: string,
  route?: { readonly match: string; readonly match_type: string },
): string {
  const served = hostport.toLowerCase();
  return route ? `${served}${route.match_type === "exact_path" ? " = " : ""}${route.match}` : served;
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

function tlsRows(model: Model, edge: ModelObject, credentials: Credentials): Row[] {
  const tls = readTls(edge);
  const upstream = tls.value.ends_at === "upstream";
  const common = {
    holder: edge,
    edge,
    networks: readNetworks(model, edge),
    tls,
    signIn: nothing<SignIn | null>(null, tls),
    token: nothing<TokenCheck | null>(null, tls),
    userAgents: nothing<UserAgents | null>(null, tls),
  };
  const [certificate, actions] = [readClientCertificate(model, edge), readActions(edge)];
  // If TLS ends upstream, the edge cannot check the traffic.
  const seen = upstream
    ? {
        clientCertificate: nothing<readonly Authority[] | null>(null, {
          ...tls,
          parts: [...certificate.parts, ...tls.parts],
        }),
        actions: nothing<readonly Action[]>([], { ...tls, parts: [...actions.parts, ...tls.parts] }),
      }
    : { clientCertificate: certificate, actions };
  return hostportsOf(edge).map(({ hostport, known }) => ({
    address: hostport,
    addressKnown: known,
    place: partOfObject(edge, "hostports", hostport),
    ...common,
    ...seen,
    traffic: readTraffic(model, edge, hostport, credentials),
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
  const onEdge = edge ?? route;
  const common = {
    holder: route,
    edge,
    networks: readNetworks(model, route),
    clientCertificate: readClientCertificate(model, onEdge),
    tls: readTls(onEdge),
    signIn: readSignIn(route),
    token: readToken(route),
    userAgents: readUserAgents(route),
    actions: readActions(route),
  };
  return hostports.map(({ hostport, known }) => ({
    address: addressOf(hostport, { match: path, match_type: exact ? "exact_path" : "path_prefix" }),
    addressKnown: known && match !== undefined && !holdsUnknown(route.fields.match_type),
    place: partOfObject(route, "match", [hostport, path]),
    ...common,
    traffic: readTraffic(model, route, hostport, credentials),
  }));
}

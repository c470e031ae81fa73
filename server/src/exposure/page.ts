import { setImmediate } from "node:timers/promises";
import { definitionOfId, present } from "@tunnelplane/sdk/contract";
import {
  addressOf,
  aspectTexts,
  checkTexts,
  eachExposure,
  hostportOf as hostportIn,
  type WorldObject,
} from "@tunnelplane/sdk/meaning";
import type { Caller } from "../auth";
import { type Document, namesOf, type Page, textIn } from "../documents";
import { AgentsOfGateways, bindsFor, servingOf } from "../gateways";
import { replacementsOf, type ServerContext } from "../resources";
import { pipelined } from "../util";
import { objectOf, View } from "../view";
import { Gathering } from "./gather";

export interface ExposureRequest {
  /** Only this address, or all addresses of this hostport. */
  readonly address?: string;
  /** Only addresses after this one. */
  readonly after?: string;
  readonly limit: number;
}

const ROWS_AT_ONCE = 10;

/** An address, with the edge and route that serve it. */
interface Address {
  readonly address: string;
  readonly hostport: string;
  readonly edge: Document;
  readonly route?: Document;
}

/** `app.example.com:443` of `app.example.com:443/admin` and of `app.example.com:443 = /admin`. */
export const hostportOf = (address: string): string => hostportIn(address).toLowerCase();

/**
 * A page of exposure rows, in the order of addresses. Reads only the edges of the page's addresses, the
 * objects that they refer to (at most 1,000), and the newest 500 credentials of each kind. So its time does
 * not grow with the database.
 */
export async function exposurePage(
  { store, documents }: ServerContext,
  caller: Caller,
  request: ExposureRequest,
): Promise<Page> {
  const { reader } = store;
  const view = View.of({ db: reader, documents }, caller);
  const addresses = await addressesOf(view, request);
  const shown = addresses.slice(0, request.limit);
  const gathering = new Gathering(view);
  const holders = shown.flatMap(({ edge, route }) => [edge, ...(route ? [route] : [])]);
  const ids = holders.map((holder) => textIn(holder, "id"));
  const [names, waiting] = await pipelined([
    namesOf(reader, ids),
    replacementsOf(reader, { old_ids: JSON.stringify(ids) }),
  ]);
  await gathering.addRestrictions();
  await gathering.add(holdersOf(shown, names));
  await gathering.add(await gathering.read(waiting.map(({ new_id }) => new_id)));
  const { credentials, full } = await view.credentials(caller);
  const wanted = new Set(shown.map(({ address }) => address));
  const gateways = await servingOf(store, new Set(shown.map(({ edge }) => textIn(edge, "id"))));
  // Reports of agents are large, so they are read only where one address is asked for.
  const agents =
    request.address === undefined
      ? undefined
      : await AgentsOfGateways.read(
          store,
          caller,
          new Set([...gateways.values()].flat().map(({ name }) => name)),
        );
  const byAddress = new Map<string, string>();
  for (const row of eachExposure({
    objects: [...gathering.all, ...credentials],
    partial: full || gathering.full,
  })) {
    const ends = bindsFor(row.goes_to, hostportOf(row.address));
    const served = gateways
      .get(row.edge?.id ?? "")
      ?.map((gateway) => ({ ...gateway, ...agents?.at(gateway.name, ends) }));
    if (wanted.has(row.address)) {
      const texts = { ...row, words: aspectTexts(row), checks: checkTexts(row) };
      byAddress.set(row.address, JSON.stringify(served ? { ...texts, gateways: served } : texts));
    }
    // A row with a thousand credentials and networks takes a millisecond, so let other requests run in
    // between.
    if (byAddress.size % ROWS_AT_ONCE === 0) await setImmediate();
  }
  return {
    documents: shown.flatMap(({ address }) => byAddress.get(address) ?? []),
    nextBefore: addresses.length > request.limit ? (shown.at(-1)?.address ?? null) : null,
    cursor: "after_address",
  };
}

/** The addresses of a page, in order, and the one after them if there is one. */
async function addressesOf(view: View, { address, after, limit }: ExposureRequest): Promise<Address[]> {
  const only = address === undefined ? undefined : canonicalAddress(address);
  const last = after === undefined ? undefined : canonicalAddress(after);
  const from = hostportOf(only ?? last ?? "");
  const served = only === undefined ? await view.hostportsFrom(from, limit + 2) : await view.edgesAt([from]);
  const edges = new Map<string, Document | undefined>();
  const addresses: Address[] = [];
  for (const { value, resource_id: id } of served) {
    if (!edges.has(id)) edges.set(id, await view.whole(id));
    const edge = edges.get(id);
    if (!edge) continue; // deleted since the first query
    const here = addressesAt(value, edge)
      .filter((each) => only === undefined || only === from || each.address === only)
      .filter((each) => last === undefined || hostportOf(last) !== value || each.address > last);
    for (const each of here) addresses.push(each);
    if (addresses.length > limit) break;
  }
  return addresses.slice(0, limit + 1);
}

/** Hosts are case-insensitive, paths are not. */
const canonicalAddress = (address: string): string =>
  hostportOf(address) + address.slice(hostportOf(address).length);

function addressesAt(hostport: string, edge: Document): Address[] {
  if (!Array.isArray(edge.routes)) return [{ address: hostport, hostport, edge }];
  return (edge.routes as (Document & { match: string; match_type: string })[])
    .map((route) => ({ address: addressOf(hostport, route), hostport, edge, route }))
    .sort((a, b) => (a.address < b.address ? -1 : 1));
}

/** The edges and routes of these addresses. Each edge keeps only the hostports of these addresses. */
function holdersOf(addresses: readonly Address[], names: ReadonlyMap<string, string>): WorldObject[] {
  const edges = new Map<string, { edge: Document; hostports: Set<string> }>();
  const routes = new Map<string, WorldObject>();
  for (const { edge, route, hostport } of addresses) {
    const id = textIn(edge, "id");
    const known = edges.get(id) ?? { edge, hostports: new Set() };
    known.hostports.add(hostport);
    edges.set(id, known);
    if (!route) continue;
    const routeId = textIn(route, "id");
    routes.set(routeId, objectOf(present(definitionOfId(routeId)), route, names.get(routeId)));
  }
  const holders = [...edges].map(([id, { edge, hostports }]) =>
    objectOf(present(definitionOfId(id)), { ...edge, hostports: [...hostports] }, names.get(id)),
  );
  return [...holders, ...routes.values()];
}

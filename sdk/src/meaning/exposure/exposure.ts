import { oncePer } from "../../contract/core/once";
import { type ExposedAspects, SHOWN } from "../aspects";
import type { Target } from "../judgement/backends/traffic";
import type { Reading } from "../judgement/reading";
import { Model, type ModelObject } from "../model";
import { type Named, named, nameOf } from "../names";
import { inOrder } from "../values";
import type { World } from "../world";
import { type Row, rowsOf } from "./rows";

/** One aspect of an address for people. */
export interface AspectText {
  /** The field of the row: `client_certificate`. */
  readonly field: keyof Exposure;
  /** Its name for people: `Client certificate`. */
  readonly title: string;
  /** In one line; null if nothing is asked of callers. */
  readonly text: string | null;
}

/** Each aspect of a row of exposures, in words. */
export const aspectTexts = (exposure: Exposure): AspectText[] =>
  SHOWN.map(({ shows }) => {
    const field = shows.field as keyof Exposure;
    return { field, title: shows.title, text: shows.words(exposure[field]) };
  });

/** The checks that callers have to pass, each in a word or two. */
export const checkTexts = (exposure: Exposure): string[] =>
  SHOWN.flatMap(({ shows }) => shows.check?.(exposure[shows.field as keyof Exposure]) ?? []);

/** The exposure of one address: who can reach it, what is checked, and where it leads. */
export interface Exposure extends ExposedAspects {
  /**
   * A hostport of a TLS edge, or one and a route: `app.example.com:443/admin` for a prefix,
   * `app.example.com:443 = /admin` for an exact route.
   */
  readonly address: string;
  readonly edge: Named | null;
  readonly route: Named | null;
  readonly goes_to: Target;
  /** The credentials that may serve the address: some by name, and the count of others. */
  readonly served_by: { readonly credentials: readonly Named[]; readonly others: number };
  /** Further remarks, in sentences. */
  readonly notes: readonly string[];
  /** The fields of this row that are not, or not completely, known. */
  readonly unknown: readonly string[];
}

/** The limit on credentials that a row names; the others are counted. */
const MAX_CREDENTIALS = 100;

/**
 * Lists who can reach what: a row for each address, in the order of addresses. Cycles of backends and
 * references to missing objects are reported and not followed.
 */
export const exposureOf = (world: World): Exposure[] => [...eachExposure(world)];

/** The same rows one by one, so that the caller can do other work in between. */
export function* eachExposure(world: World): Generator<Exposure> {
  for (const row of rowsOf(new Model(world))) yield shown(row);
}

/** The public form of a row. */
export function shown(row: Row): Exposure {
  const { address, holder, edge, traffic } = row;
  const aspects = SHOWN.map(({ shows, name }) => [
    shows.field,
    shows.exposed(row[name].value, row[name].unknown),
  ]);
  return {
    address,
    edge: edge ? named(edge) : null,
    route: holder.kind === "https_edge_route" ? named(holder) : null,
    ...(Object.fromEntries(aspects) as ExposedAspects), // typed field by field above
    goes_to: traffic.value.target,
    served_by: servedBy(traffic.value.servers),
    notes: notesOf(row),
    unknown: ASPECTS.filter(([, aspect]) => aspect(row).unknown).map(([name]) => name),
  };
}

/** The fields of an exposure that are read from places which a change may alter. */
export const ASPECTS: readonly (readonly [keyof Exposure, (row: Row) => Reading<unknown>])[] = [
  ...SHOWN.map(({ shows, name }) => [shows.field as keyof ExposedAspects, (row: Row) => row[name]] as const),
  ["goes_to", (row) => row.traffic],
];

const sortable = oncePer((thing: ModelObject) => ({
  key: `${nameOf(thing)} ${thing.identity}`,
  named: named(thing),
}));

function servedBy(servers: readonly ModelObject[]): Exposure["served_by"] {
  const visible = servers.filter(({ object }) => !object.hidden).map((thing) => sortable(thing));
  const sorted = visible.sort((a, b) => inOrder(a.key, b.key));
  const credentials = sorted.slice(0, MAX_CREDENTIALS).map((entry) => entry.named);
  return { credentials, others: servers.length - credentials.length };
}

function notesOf({ tls, traffic, edge, clientCertificate, addressKnown, heirs }: Row): string[] {
  const notes = heirs.map((heir) => {
    const { id } = heir.object;
    const name = id === undefined ? nameOf(heir) : `${nameOf(heir)} (${id})`;
    return `${name} waits for this one, and takes over as soon as this one is deleted.`;
  });
  if (!addressKnown) notes.push("The address is not known yet.");
  if (!edge) notes.push("The route's edge is not known.");
  if (tls.value.ends_at === "upstream") {
    notes.push(
      "TLS ends upstream: nothing of the edge's HTTP or TLS modules applies, because the edge cannot read the traffic.",
    );
  }
  if (tls.value.ends_at === "none")
    notes.push("Connections over TCP say no name, and their bytes pass as they are.");
  if (clientCertificate.value?.length === 0)
    notes.push("No authority is accepted, so no client certificate is.");
  for (const { missing } of clientCertificate.value ?? [])
    if (missing) notes.push(`There is no certificate authority ${missing}.`);
  for (const { words, nowhere } of traffic.value.flow.shares.values())
    if (nowhere) notes.push(`Traffic goes to ${words}.`);
  if (traffic.value.flow.shares.size === 0) notes.push(NOWHERE[traffic.value.reason]);
  return notes.sort();
}

const NOWHERE = {
  disabled: "Traffic goes nowhere: the backend is disabled.",
  backend: "Traffic goes nowhere: no backend has a weight.",
  tunnels: "Traffic goes nowhere: there is no backend, and no credential may bind the address.",
};

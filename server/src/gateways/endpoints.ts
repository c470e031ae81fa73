import { EDGE_KINDS, OBSERVED, portOf } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import {
  bulkInsertion,
  type Database,
  type EndpointRow,
  inParts,
  isListed,
  type Store,
  statement,
  type Transaction,
} from "../storage";
import { newId } from "../util";

/** The edges of a report. */
export interface ReportedEdges {
  /** The last event that the gateway has followed. */
  readonly sequence: number;
  readonly edges: readonly { readonly id: string; readonly state: "applied" | "rejected" }[];
}

/** With more changes since the last report, all edges of the gateway are looked at. */
const MAX_CHANGES = 1000;

/**
 * Brings the endpoints to the edges that a gateway serves: those that it serves newly, serves no longer, or
 * that changed since its last report. Call it before the report is stored, so that a report whose endpoints
 * were not kept is taken for new again.
 *
 * @param before the last report
 */
export async function keepEndpoints(
  store: Store,
  gateway: string,
  before: ReportedEdges,
  now: ReportedEdges,
): Promise<void> {
  const had = new Set(appliedIn(before));
  const has = new Set(appliedIn(now));
  const added = [...has].filter((id) => !had.has(id));
  const lost = [...had].filter((id) => !has.has(id));
  const changed = await changedEdges(store.reader, before, now);
  const moved = changed === "all" ? [...has] : changed;
  if (added.length + lost.length + moved.length === 0) return;
  await store.write(async (transaction) => {
    await inParts(lost, (ids) => forgetServed(transaction, { ids, gateway }));
    await inParts(added, (ids) => forgetServed(transaction, { ids, gateway }));
    await insertServed(
      transaction,
      added.map((edge_id) => ({ edge_id, gateway })),
    );
    await takeHostports(transaction, [...new Set([...added, ...moved])]);
  });
}

const appliedIn = ({ edges }: ReportedEdges): string[] =>
  edges.flatMap(({ id, state }) => (state === "applied" ? [id] : []));

async function changedEdges(
  db: Kysely<Database>,
  { sequence: from }: ReportedEdges,
  { sequence: to }: ReportedEdges,
): Promise<string[] | "all"> {
  if (to - from > MAX_CHANGES || to < from) return "all";
  return (await edgesOfEvents(db, { from, to })).map(({ id }) => id);
}

/** Writes which edge has which hostport, with a new id for a hostport that had none. */
async function takeHostports(transaction: Transaction, edges: readonly string[]): Promise<void> {
  await inParts(edges, (ids) => forgetLost(transaction, { ids }));
  const held = await inParts(edges, (ids) => hostportsHeld(transaction, { ids }));
  const known = new Map(
    (
      await inParts(
        held.map(({ hostport }) => hostport),
        (hostports) => endpointsOf(transaction, { hostports }),
      )
    ).map(({ hostport, edge_id }) => [hostport, edge_id]),
  );
  const now = new Date().toISOString();
  await insertEndpoints(
    transaction,
    held
      .filter(({ hostport }) => !known.has(hostport))
      .map((row) => ({
        ...row,
        id: newId(OBSERVED.endpoint.idPrefix),
        created_at: now,
        updated_at: now,
      })),
  );
  for (const { hostport, edge_id, project_id } of held) {
    const before = known.get(hostport);
    if (before !== undefined && before !== edge_id)
      await transaction
        .updateTable("endpoint")
        .set({ edge_id, project_id, updated_at: now })
        .where("hostport", "=", hostport)
        .execute();
  }
}

/** The parts of a hostport; an IPv6 address is without its brackets. */
export function partsOf(hostport: string): { readonly host: string; readonly port: number } {
  const host = hostport.slice(0, hostport.lastIndexOf(":"));
  return { host: host.replace(/^\[|\]$/g, ""), port: portOf(hostport) };
}

/** The protocol of an edge, by its kind. */
export const PROTOCOLS = {
  https_edge: "https",
  tls_edge: "tls",
  tcp_edge: "tcp",
} as const satisfies Readonly<Record<(typeof EDGE_KINDS)[number], string>>;

const EDGE_EVENTS = EDGE_KINDS.flatMap((kind) => [
  `${kind}_created.v0`,
  `${kind}_updated.v0`,
  `${kind}_deleted.v0`,
]);

const edgesOfEvents = statement<{ from: number; to: number }, { id: string }>((db, parameter) =>
  db
    .selectFrom("event")
    .select("object_id as id")
    .distinct()
    .where("sequence", ">", parameter("from"))
    .where("sequence", "<=", parameter("to"))
    .where("type", "in", EDGE_EVENTS),
);

const forgetServed = statement<{ ids: string; gateway: string }, unknown>((db, parameter) =>
  db
    .deleteFrom("served_edge")
    .where(isListed(db, "edge_id", parameter("ids")))
    .where("gateway", "=", parameter("gateway")),
);

const insertServed = bulkInsertion("served_edge", ["edge_id", "gateway"]);

/** Hostports that these edges no longer have. */
const forgetLost = statement<{ ids: string }, unknown>((db, parameter) =>
  db
    .deleteFrom("endpoint")
    .where(isListed(db, "edge_id", parameter("ids")))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("unique_key")
            .select("value")
            .where("scope", "=", "hostport")
            .whereRef("value", "=", "endpoint.hostport")
            .whereRef("resource_id", "=", "endpoint.edge_id"),
        ),
      ),
    ),
);

const hostportsHeld = statement<{ ids: string }, Pick<EndpointRow, "hostport" | "edge_id" | "project_id">>(
  (db, parameter) =>
    db
      .selectFrom("unique_key")
      .innerJoin("resource", "resource.id", "unique_key.resource_id")
      .select(["value as hostport", "resource_id as edge_id", "project_id"])
      .where("scope", "=", "hostport")
      .where(isListed(db, "resource_id", parameter("ids"))),
);

const endpointsOf = statement<{ hostports: string }, Pick<EndpointRow, "hostport" | "edge_id">>(
  (db, parameter) =>
    db
      .selectFrom("endpoint")
      .select(["hostport", "edge_id"])
      .where(isListed(db, "hostport", parameter("hostports"))),
);

const insertEndpoints = bulkInsertion("endpoint", [
  "id",
  "hostport",
  "edge_id",
  "project_id",
  "created_at",
  "updated_at",
]);

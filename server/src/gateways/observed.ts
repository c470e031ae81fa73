import type { Endpoint, Tunnel, TunnelSession } from "@tunnelplane/sdk";
import {
  coveringKeys,
  definitionOfId,
  isEdgeKind,
  OBSERVED,
  type ObservedKind,
  own,
  present,
  seesAll,
} from "@tunnelplane/sdk/contract";
import { type Expression, type Kysely, type SqlBool, sql } from "kysely";
import { type Caller, isOfOthers } from "../auth";
import { type Documents, type Page, pageOf } from "../documents";
import {
  type Database,
  type EndpointRow,
  inParts,
  isListed,
  type Store,
  statement,
  type TunnelRow,
} from "../storage";
import { type Bind, labelsIn } from "./binds";
import { PROTOCOLS, partsOf } from "./endpoints";
import { noLonger, SILENT_MS } from "./sessionEnds";
import { sessionOf } from "./sessionEvents";

interface Tools {
  readonly store: Store;
  readonly documents: Documents;
}

interface Wanted {
  readonly limit: number;
  readonly before?: string;
}

/** Tunnel-group backends of a project that are compared with the labels of tunnels. */
const MAX_GROUPS = 10_000;

/** A page of what gateways see, newest first. */
export async function observedPage(
  tools: Tools,
  kind: ObservedKind,
  caller: Caller,
  { limit, before }: Wanted,
): Promise<Page> {
  const rows = await READERS[kind](tools, caller, { limit: limit + 1, before });
  return pageOf(rows, limit, (row) => row);
}

/** One of them. @throws RequestError for one that is not there, or that the caller may not see */
export async function observedAt(
  tools: Tools,
  kind: ObservedKind,
  caller: Caller,
  id: string,
): Promise<string> {
  const [row] = await READERS[kind](tools, caller, { limit: 1, id });
  if (row) return JSON.stringify(row);
  throw noLonger(OBSERVED[kind], id);
}

interface Reading {
  readonly limit: number;
  readonly before?: string;
  /** Only this one. */
  readonly id?: string;
}

type Reader = (
  tools: Tools,
  caller: Caller,
  reading: Reading,
) => Promise<readonly (Endpoint | Tunnel | TunnelSession)[]>;

const READERS: Readonly<Record<ObservedKind, Reader>> = {
  endpoint: endpoints,
  tunnel: tunnels,
  tunnel_session: sessions,
};

/** Which rows a caller may see: of its project, and only its own where `isOwned`. */
function isSeen(
  { project, role, ownerId }: Caller,
  { before, id }: Reading,
  isOwned: boolean,
): Expression<SqlBool> {
  const conditions = [
    ...(project === undefined ? [] : [sql<SqlBool>`project_id = ${project}`]),
    ...(!isOwned || seesAll(role) ? [] : [sql<SqlBool>`owner_id = ${ownerId}`]),
    ...(before === undefined ? [] : [sql<SqlBool>`id < ${before}`]),
    ...(id === undefined ? [] : [sql<SqlBool>`id = ${id}`]),
  ];
  return sql<SqlBool>`${sql.join([sql`1 = 1`, ...conditions], sql` and `)}`;
}

async function sessions(
  { store, documents }: Tools,
  caller: Caller,
  reading: Reading,
): Promise<TunnelSession[]> {
  const rows = await store.reader
    .selectFrom("tunnel_session")
    .selectAll()
    .where(isSeen(caller, reading, true))
    .orderBy("id", "desc")
    .limit(reading.limit)
    .execute();
  return rows.map((row) => sessionOf(documents, row));
}

async function endpoints({ store, documents }: Tools, caller: Caller, reading: Reading): Promise<Endpoint[]> {
  const { reader } = store;
  const rows = await served(reader)
    .selectAll()
    .where(isSeen(caller, reading, false))
    .orderBy("id", "desc")
    .limit(reading.limit)
    .execute();
  const hosts = rows.map(({ hostport }) => partsOf(hostport).host);
  const [domains, addresses, bound] = [
    await keysOf(reader, "reserved_domain", hosts.flatMap(coveringKeys)),
    await keysOf(
      reader,
      "reserved_port",
      rows.map(({ hostport }) => String(partsOf(hostport).port)),
    ),
    await tunnelsAt(
      reader,
      rows.map(({ hostport }) => hostport),
    ),
  ];
  return rows.map((row) => {
    const { host, port } = partsOf(row.hostport);
    const proto = protocolOf(row);
    const tunnel = bound.find((one) => one.hostport === row.hostport && !isOfOthers(one, caller));
    const domain = coveringKeys(host)
      .map((key) => domains.find((one) => one.value === key))
      .find((one) => one?.project_id === row.project_id);
    const address = addresses.find((one) => one.value === String(port) && one.project_id === row.project_id);
    return {
      id: row.id,
      uri: documents.addressOf(OBSERVED.endpoint, row.id),
      created_at: row.created_at,
      updated_at: row.updated_at,
      region: "",
      hostport: row.hostport,
      host,
      port,
      proto,
      scheme: proto,
      public_url: publicUrl(row),
      type: "edge",
      edge: documents.refTo(row.edge_id),
      domain: domain ? documents.refTo(domain.id) : null,
      tcp_addr: proto === "tcp" && address ? documents.refTo(address.id) : null,
      tunnel: tunnel ? refTo(documents, "tunnel", tunnel.id) : null,
      tunnel_session: tunnel ? refTo(documents, "tunnel_session", tunnel.session_id) : null,
    };
  });
}

async function tunnels({ store, documents }: Tools, caller: Caller, reading: Reading): Promise<Tunnel[]> {
  const { reader } = store;
  const rows = await reader
    .selectFrom("tunnel")
    .selectAll()
    .where(isSeen(caller, reading, true))
    .orderBy("id", "desc")
    .limit(reading.limit)
    .execute();
  const at = new Map(
    (
      await inParts(
        rows.flatMap(({ hostport }) => hostport ?? []),
        (hostports) =>
          served(reader)
            .selectAll()
            .where(isListed(reader, "hostport", hostports))
            .execute(),
      )
    ).map((endpoint) => [endpoint.hostport, endpoint]),
  );
  const forwards = new Map(
    (
      await inParts([...new Set(rows.map(({ session_id }) => session_id))], (ids) =>
        forwardsOf(reader, { ids }),
      )
    ).map(({ id, forwards_to }) => [id, forwards_to]),
  );
  const groups = await groupsFor(reader, rows);
  return rows.map((row) => {
    const bind: Bind = JSON.parse(row.bind);
    const labels = labelsIn(bind);
    const endpoint = row.hostport === null ? undefined : at.get(row.hostport);
    return {
      id: row.id,
      uri: documents.addressOf(OBSERVED.tunnel, row.id),
      started_at: row.started_at,
      proto: endpoint ? protocolOf(endpoint) : "",
      region: "",
      public_url: endpoint ? publicUrl(endpoint) : "",
      tunnel_session: refTo(documents, "tunnel_session", row.session_id),
      endpoint: endpoint ? refTo(documents, "endpoint", endpoint.id) : null,
      labels,
      backends: groups
        .filter((group) => row.hostport === null && isServedBy(group, row, labels))
        .map(({ id }) => documents.refTo(id)),
      forwards_to: forwards.get(row.session_id) ?? "",
      metadata: "",
    };
  });
}

const refTo = (documents: Documents, kind: ObservedKind, id: string) => ({
  id,
  uri: documents.addressOf(OBSERVED[kind], id),
});

/** The endpoints whose edge is served as it is now, by a gateway that reports. */
const served = (db: Kysely<Database>) =>
  db
    .selectFrom("endpoint")
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("unique_key")
          .select("value")
          .where("scope", "=", "hostport")
          .whereRef("value", "=", "endpoint.hostport")
          .whereRef("resource_id", "=", "endpoint.edge_id"),
      ),
    )
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("served_edge")
          .innerJoin("gateway", "gateway.name", "served_edge.gateway")
          .select("gateway.name")
          .whereRef("served_edge.edge_id", "=", "endpoint.edge_id")
          .where("gateway.last_seen", ">=", new Date(Date.now() - SILENT_MS).toISOString()),
      ),
    );

function protocolOf({ edge_id: edge }: Pick<EndpointRow, "edge_id">): Endpoint["proto"] {
  const { kind } = present(definitionOfId(edge));
  if (!isEdgeKind(kind)) throw new Error(`${edge} is not an edge`);
  return PROTOCOLS[kind];
}

function publicUrl(endpoint: EndpointRow): string {
  const proto = protocolOf(endpoint);
  const { hostport } = endpoint;
  return `${proto}://${proto === "https" ? hostport.replace(/:443$/, "") : hostport}`;
}

interface Group {
  readonly id: string;
  readonly project_id: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** The tunnel-group backends of the projects of tunnels with labels. */
async function groupsFor(db: Kysely<Database>, rows: readonly TunnelRow[]): Promise<Group[]> {
  const projects = [...new Set(rows.flatMap((row) => (row.hostport === null ? [row.project_id] : [])))];
  const found = await inParts(projects, (ids) => groupsOf(db, { projects: ids, limit: MAX_GROUPS }));
  return found.map(({ id, project_id, document }) => ({
    id,
    project_id,
    labels: JSON.parse(document).labels,
  }));
}

const isServedBy = (group: Group, row: TunnelRow, labels: Readonly<Record<string, string>>): boolean =>
  group.project_id === row.project_id &&
  Object.entries(group.labels).every(([key, value]) => own(labels, key) === value);

const groupsOf = statement<
  { projects: string; limit: number },
  { id: string; project_id: string; document: string }
>((db, parameter) =>
  db
    .selectFrom("resource")
    .select(["id", "project_id", "document"])
    .where("kind", "=", "tunnel_group_backend")
    .where(isListed(db, "project_id", parameter("projects")))
    .orderBy("id", "desc")
    .limit(parameter("limit")),
);

const forwardsOf = statement<{ ids: string }, { id: string; forwards_to: string }>((db, parameter) =>
  db
    .selectFrom("tunnel_session")
    .select(["id", "forwards_to"])
    .where(isListed(db, "id", parameter("ids"))),
);

/** The newest tunnels of hostports. */
const tunnelsAt = (db: Kysely<Database>, hostports: readonly string[]) =>
  inParts(hostports, (part) => newestTunnels(db, { hostports: part }));

/** Tunnels of one page: an address may have thousands. */
const MAX_TUNNELS = 1000;

const newestTunnels = statement<{ hostports: string }, TunnelRow>((db, parameter) =>
  db
    .selectFrom("tunnel")
    .selectAll()
    .where(isListed(db, "hostport", parameter("hostports")))
    .orderBy("id", "desc")
    .limit(MAX_TUNNELS),
);

const keysOf = (db: Kysely<Database>, scope: string, values: readonly string[]) =>
  inParts([...new Set(values)], (part) => holders(db, { scope, values: part }));

const holders = statement<
  { scope: string; values: string },
  { value: string; id: string; project_id: string }
>((db, parameter) =>
  db
    .selectFrom("unique_key")
    .innerJoin("resource", "resource.id", "unique_key.resource_id")
    .select(["value", "resource.id", "project_id"])
    .where("scope", "=", parameter("scope"))
    .where(isListed(db, "value", parameter("values"))),
);

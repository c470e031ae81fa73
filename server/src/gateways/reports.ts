import { seesAll } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import type { Caller } from "../auth";
import type { Documents, Page } from "../documents";
import { type Database, type GatewayRow, isListed, type Store, type Transaction } from "../storage";
import { ownTurn, quoted, RequestError } from "../util";

const DAY_MS = 24 * 60 * 60_000;
/** A gateway that has not reported for so long is forgotten. */
const GONE_MS = 7 * DAY_MS;
/** The limit on names of gateways, because each takes a row. */
const MOST_GATEWAYS = 1000;
const PLACE = { path: "/gateways" };

/** A gateway's report about itself. */
export interface GatewayReport {
  readonly version: string;
  readonly envoy_version: string;
  /** The last event that it has followed. */
  readonly sequence: number;
  /** The ports that it listens for. Absent from older gateways. */
  readonly ports?: readonly number[];
  readonly edges: readonly {
    readonly id: string;
    readonly state: "applied" | "rejected";
    readonly reason: string;
  }[];
  readonly agents: readonly {
    readonly credential: string;
    readonly bind: readonly string[];
    readonly address: string;
    readonly since: string;
  }[];
}

interface Tools {
  readonly store: Store;
  readonly documents: Documents;
}

/**
 * Stores a gateway's report in place of the one before. This is not a change of an object: no event, no audit
 * row.
 */
export function report(
  { store }: Tools,
  name: string,
  { edges, agents, ports, ...about }: GatewayReport,
): Promise<void> {
  const rejected = edges.filter(({ state }) => state === "rejected").length;
  const row = {
    ...about,
    last_seen: new Date().toISOString(),
    applied: edges.length - rejected,
    rejected,
    edges: JSON.stringify(edges),
    agents: JSON.stringify(agents),
    ports: ports ? JSON.stringify(ports) : null,
  };
  return store.write(async (transaction) => {
    const known = await transaction
      .selectFrom("gateway")
      .select("name")
      .where("name", "=", name)
      .executeTakeFirst();
    if (!known) await refuseTooMany(transaction);
    await transaction
      .insertInto("gateway")
      .values({ name, ...row })
      .onConflict((conflict) => conflict.column("name").doUpdateSet(row))
      .execute();
  });
}

async function refuseTooMany(transaction: Transaction): Promise<void> {
  await forgetSilentGateways(transaction);
  const { count } = await transaction
    .selectFrom("gateway")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  if (Number(count) >= MOST_GATEWAYS)
    throw new RequestError(
      "taken",
      `There are ${MOST_GATEWAYS} gateways already; one is forgotten when it has not reported for 7 days`,
    );
}

/** Removes a gateway from the list. A gateway that is not in the list is answered 404. */
export async function deleteGateway(transaction: Transaction, name: string): Promise<void> {
  const found = await transaction
    .deleteFrom("gateway")
    .where("name", "=", name)
    .where("last_seen", ">=", gone())
    .returning("name")
    .execute();
  if (found.length === 0) throw unknown(name);
}

/** Forgets the gateways that are gone. */
export async function forgetSilentGateways(transaction: Transaction): Promise<void> {
  await transaction.deleteFrom("gateway").where("last_seen", "<", gone()).execute();
}

const gone = (): string => new Date(Date.now() - GONE_MS).toISOString();

/** The gateways, by name: how each is, without its edges and agents. */
export async function gatewayPage(
  { store, documents }: Tools,
  { limit, after }: { limit: number; after?: string },
): Promise<Page> {
  let query = store.reader
    .selectFrom("gateway")
    .select(["name", "last_seen", "version", "envoy_version", "sequence", "applied", "rejected", "ports"])
    .where("last_seen", ">=", gone());
  if (after !== undefined) query = query.where("name", ">", after);
  const rows = await query
    .orderBy("name")
    .limit(limit + 1)
    .execute();
  const shown = rows.slice(0, limit);
  return {
    documents: shown.map((row) => JSON.stringify(summaryOf(documents, row))),
    nextBefore: rows.length > limit ? (shown.at(-1)?.name ?? null) : null,
    cursor: "after_name",
  };
}

const summaryOf = (documents: Documents, row: Omit<GatewayRow, "edges" | "agents">) => ({
  name: row.name,
  uri: documents.addressOf(PLACE, row.name),
  last_seen: row.last_seen,
  version: row.version,
  envoy_version: row.envoy_version,
  sequence: Number(row.sequence),
  ...(row.ports !== null && { ports: portsIn(row) }),
  applied: row.applied,
  rejected: row.rejected,
});

const portsIn = ({ ports }: Pick<GatewayRow, "ports">): number[] | null =>
  ports === null ? null : JSON.parse(ports);

/** The ports that gateways listen for; undefined if one does not report them, or there is no gateway. */
export async function portsOf(db: Kysely<Database>): Promise<number[] | undefined> {
  const rows = await db.selectFrom("gateway").select("ports").where("last_seen", ">=", gone()).execute();
  const each = rows.map(portsIn);
  const known = each.flatMap((ports) => ports ?? []);
  return each.length === 0 || each.includes(null) ? undefined : [...new Set(known)].sort((a, b) => a - b);
}

/**
 * The whole status of a gateway. A member sees the agents of its own credentials, and the count of others.
 */
export async function gatewayAt({ store, documents }: Tools, name: string, caller: Caller): Promise<string> {
  const row = await store.reader
    .selectFrom("gateway")
    .selectAll()
    .where("name", "=", name)
    .where("last_seen", ">=", gone())
    .executeTakeFirst();
  if (!row) throw unknown(name);
  const all: GatewayReport["agents"] = JSON.parse(row.agents);
  const own = seesAll(caller.role)
    ? undefined
    : await credentialsOf(store.reader, caller.ownerId, [...new Set(all.map((one) => one.credential))]);
  const agents = own ? all.filter(({ credential }) => own.has(credential)) : all;
  return JSON.stringify({
    ...summaryOf(documents, row),
    edges: JSON.parse(row.edges),
    agents,
    other_agents: all.length - agents.length,
  });
}

const unknown = (name: string): RequestError =>
  new RequestError(
    "not_found",
    `There is no gateway ${quoted(name)}; one that has not reported for 7 days is forgotten`,
  );

/** Those of these credentials that belong to an owner. */
async function credentialsOf(
  db: Kysely<Database>,
  owner: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom("resource")
    .select("id")
    .where("owner_id", "=", owner)
    .where(isListed(db, "id", JSON.stringify(ids)))
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** The state of an edge at a gateway. */
export interface Serving {
  readonly name: string;
  readonly last_seen: string;
  readonly state: "applied" | "rejected";
  readonly reason: string;
}

/**
 * The limit of gateways whose reports are searched for one answer: those that reported last. A report may
 * have 1 MiB.
 */
const MOST_LOOKED_AT = 20;

/** The state of these edges at each gateway, by the id of the edge. */
export async function servingOf(
  { reader }: Store,
  edges: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly Serving[]>> {
  const gateways = await reader
    .selectFrom("gateway")
    .select(["name", "last_seen"])
    .where("last_seen", ">=", gone())
    .orderBy("last_seen", "desc")
    .limit(MOST_LOOKED_AT)
    .execute();
  const found = new Map<string, Serving[]>();
  for (const { name, last_seen } of gateways.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const row = await reader
      .selectFrom("gateway")
      .select("edges")
      .where("name", "=", name)
      .executeTakeFirst();
    const reported: GatewayReport["edges"] = JSON.parse(row?.edges ?? "[]");
    for (const { id, state, reason } of reported)
      if (edges.has(id)) found.set(id, [...(found.get(id) ?? []), { name, last_seen, state, reason }]);
    await ownTurn();
  }
  return found;
}

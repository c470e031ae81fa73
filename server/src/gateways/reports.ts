import { seesAll } from "@tunnelplane/sdk/contract";
import type { gatewayReportShape } from "@tunnelplane/sdk/operations";
import type { Kysely } from "kysely";
import type { z } from "zod";
import { type Caller, seesAllProjects } from "../auth";
import { type Documents, nameField, namesOf, type Page } from "../documents";
import { type Database, type GatewayRow, isListed, type Store, type Transaction } from "../storage";
import { ownTurn, quoted, RequestError } from "../util";
import { bindsIn } from "./binds";
import { keepEndpoints, type ReportedEdges } from "./endpoints";
import type { SessionTools } from "./sessionEnds";
import { keepSessions } from "./sessions";

const DAY_MS = 24 * 60 * 60_000;
/** A gateway that has not reported for this long is forgotten. */
const GONE_MS = 7 * DAY_MS;
/** The limit on names of gateways, because each takes a row. */
const MAX_GATEWAYS = 1000;
const PLACE = { path: "/gateways" };

/** A gateway's report about itself. */
export type GatewayReport = z.output<(typeof gatewayReportShape)["schema"]>;

interface Tools {
  readonly store: Store;
  readonly documents: Documents;
}

/**
 * Stores a gateway's report in place of the one before. This is not a change of an object: no event, no audit
 * row. Sessions of agents that began or ended are events.
 */
export async function report(context: SessionTools, name: string, sent: GatewayReport): Promise<void> {
  const { edges, agents, sequence } = sent;
  const last = await lastEdges(context.store.reader, name);
  // Endpoints are of gateways that are there. The report itself comes last: until then, it is taken for new.
  if (!last) await storeReport(context.store, name, { ...sent, sequence: 0, edges: [], agents: [] });
  await keepEndpoints(context.store, name, last ?? NOTHING_YET, { edges, sequence });
  await storeReport(context.store, name, sent);
  await keepSessions(
    context,
    name,
    agents.flatMap(({ session, client = "", forwards_to: forwardsTo = "", bind, binds, ...agent }) =>
      session === undefined ? [] : [{ ...agent, session, client, forwardsTo, binds: binds ?? bindsIn(bind) }],
    ),
  );
}

const NOTHING_YET: ReportedEdges = { sequence: 0, edges: [] };

async function lastEdges(db: Kysely<Database>, name: string): Promise<ReportedEdges | undefined> {
  const row = await db
    .selectFrom("gateway")
    .select(["sequence", "edges"])
    .where("name", "=", name)
    .executeTakeFirst();
  return row && { sequence: Number(row.sequence), edges: JSON.parse(row.edges) };
}

function storeReport(
  store: Store,
  name: string,
  { edges, agents, ports, ...about }: GatewayReport,
): Promise<void> {
  const row = {
    ...about,
    last_seen: new Date().toISOString(),
    ...countsOf(edges),
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
  if (Number(count) >= MAX_GATEWAYS)
    throw new RequestError(
      "taken",
      `There are ${MAX_GATEWAYS} gateways already; one is forgotten when it has not reported for 7 days`,
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
  await transaction
    .deleteFrom("served_edge")
    .where("gateway", "not in", transaction.selectFrom("gateway").select("name"))
    .execute();
}

/** Gateways that were seen last before this moment are forgotten. */
export const gone = (): string => new Date(Date.now() - GONE_MS).toISOString();

/** The gateways, by name: how each is, without its edges and agents. */
export async function gatewayPage(
  { store, documents }: Tools,
  caller: Caller,
  { limit, after }: { limit: number; after?: string },
): Promise<Page> {
  let query = store.reader.selectFrom("gateway").select(SUMMARY).where("last_seen", ">=", gone());
  if (after !== undefined) query = query.where("name", ">", after);
  const rows = await query
    .orderBy("name")
    .limit(limit + 1)
    .execute();
  const shown: Summary[] = [];
  for (const row of rows.slice(0, limit))
    shown.push(seesAllProjects(caller) ? row : await seenBy(store, caller, row));
  return {
    documents: shown.map((row) => JSON.stringify(summaryOf(documents, row))),
    nextBefore: rows.length > limit ? (shown.at(-1)?.name ?? null) : null,
    cursor: "after_name",
  };
}

const SUMMARY = [
  "name",
  "last_seen",
  "version",
  "envoy_version",
  "sequence",
  "applied",
  "rejected",
  "ports",
] as const satisfies readonly (keyof GatewayRow)[];

type Stored = Pick<GatewayRow, (typeof SUMMARY)[number]>;
type Summary = Omit<Stored, "sequence"> & Partial<Pick<Stored, "sequence">>;

/** A gateway as a caller may see it, where it also serves other projects. */
async function seenBy(store: Store, caller: Caller, { sequence: _, ...row }: Stored): Promise<Summary> {
  const edges = await ownEdges(store.reader, caller, await edgesOf(store.reader, row.name));
  await ownTurn();
  return { ...row, ...countsOf(edges) };
}

function countsOf(edges: GatewayReport["edges"]): Pick<GatewayRow, "applied" | "rejected"> {
  const rejected = edges.filter(({ state }) => state === "rejected").length;
  return { applied: edges.length - rejected, rejected };
}

/** The edges that a gateway reported. */
export async function edgesOf(db: Kysely<Database>, name: string): Promise<GatewayReport["edges"]> {
  const row = await db.selectFrom("gateway").select("edges").where("name", "=", name).executeTakeFirst();
  return JSON.parse(row?.edges ?? "[]");
}

/** The edges of the caller's project. */
async function ownEdges(
  db: Kysely<Database>,
  { project }: Caller,
  edges: GatewayReport["edges"],
): Promise<GatewayReport["edges"]> {
  const own = await thoseOf(
    db,
    { project },
    edges.map(({ id }) => id),
  );
  return edges.filter(({ id }) => own.has(id));
}

const summaryOf = (documents: Documents, row: Summary) => ({
  name: row.name,
  uri: documents.addressOf(PLACE, row.name),
  last_seen: row.last_seen,
  version: row.version,
  envoy_version: row.envoy_version,
  ...(row.sequence !== undefined && { sequence: Number(row.sequence) }),
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
 * The whole status of a gateway. Callers see the edges and agents of their project; a member sees the agents
 * of its own credentials, and the count of the project's others.
 */
export async function gatewayAt({ store, documents }: Tools, name: string, caller: Caller): Promise<string> {
  const row = await store.reader
    .selectFrom("gateway")
    .selectAll()
    .where("name", "=", name)
    .where("last_seen", ">=", gone())
    .executeTakeFirst();
  if (!row) throw unknown(name);
  const { reader } = store;
  const [edges, all]: [GatewayReport["edges"], GatewayReport["agents"]] = [
    JSON.parse(row.edges),
    JSON.parse(row.agents),
  ];
  const isWhole = seesAllProjects(caller);
  const shown = isWhole ? edges : await ownEdges(reader, caller, edges);
  const { sequence, ...others } = row;
  const summary = isWhole ? { ...others, sequence } : { ...others, ...countsOf(shown) };
  const credentials = all.map(({ credential }) => credential);
  const agentsOf = async (whose: Whose) => {
    const known = await thoseOf(reader, whose, credentials);
    return all.filter(({ credential }) => known.has(credential));
  };
  const there = isWhole ? all : await agentsOf({ project: caller.project });
  const agents = seesAll(caller.role)
    ? there
    : await agentsOf({ project: caller.project, owner: caller.ownerId });
  const names = await namesOf(reader, [
    ...shown.map(({ id }) => id),
    ...agents.map(({ credential }) => credential),
  ]);
  return JSON.stringify({
    ...summaryOf(documents, summary),
    edges: shown.map((edge) => ({ ...edge, ...nameField(names.get(edge.id)) })),
    agents: agents.map((agent) => namedAgent(agent, names)),
    other_agents: there.length - agents.length,
  });
}

/** An agent with the name of its credential. */
export const namedAgent = (agent: GatewayReport["agents"][number], names: ReadonlyMap<string, string>) => ({
  ...agent,
  ...nameField(names.get(agent.credential)),
});

const unknown = (name: string): RequestError =>
  new RequestError(
    "not_found",
    `There is no gateway ${quoted(name)}; one that has not reported for 7 days is forgotten`,
  );

/** To whom objects belong. */
interface Whose {
  /** The id of a project; undefined for all. */
  readonly project: string | undefined;
  /** Undefined for all. */
  readonly owner?: string;
}

/** Those of these objects that belong to a project, and to an owner. */
export async function thoseOf(
  db: Kysely<Database>,
  { project, owner }: Whose,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  let query = db
    .selectFrom("resource")
    .select("id")
    .where(isListed(db, "id", JSON.stringify([...new Set(ids)])));
  if (project !== undefined) query = query.where("project_id", "=", project);
  if (owner !== undefined) query = query.where("owner_id", "=", owner);
  return new Set((await query.execute()).map(({ id }) => id));
}

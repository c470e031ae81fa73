import { isEdgeKind, portOf, TCP_PORT } from "@tunnelplane/sdk/contract";
import type { Expression, InsertQueryBuilder, InsertResult, Kysely } from "kysely";
import type { ObjectChange } from "../journal";
import { type Database, effect, inParts, isListed, statement, Transaction } from "../storage";
import { type Fault, refuseFaults } from "../util";
import type { PortRange } from "./nameSettings";
import { Existing } from "./rules";

/**
 * Adds stored keys a second time, so that the commit fails if there are any. So an optimistic transaction,
 * which waits for no answer, stays one round trip; it runs again, and is refused in words.
 * @param keys a query for the columns `scope`, `value` and `resource_id`
 */
export const repeatKeys = (
  db: Kysely<Database>,
  keys: Expression<Database["unique_key"]>,
): InsertQueryBuilder<Database, "unique_key", InsertResult> =>
  db.insertInto("unique_key").columns(["scope", "value", "resource_id"]).expression(keys);

/** A port that an edge serves and did not serve before. */
interface Opened {
  readonly change: ObjectChange;
  readonly isTcp: boolean;
  readonly port: number;
  readonly path: readonly PropertyKey[];
}

/** The ports that changes open. */
export function openedPorts(changes: readonly ObjectChange[]): Opened[] {
  return changes.flatMap((change) => {
    const { definition, before, after } = change;
    if (!after || !isEdgeKind(definition.kind)) return [];
    const isTcp = definition.kind === "tcp_edge";
    const had = new Set(before && portsOf(before));
    return portsOf(after).flatMap((port, index) =>
      had.has(port) ? [] : [{ change, isTcp, port, path: ["hostports", index] }],
    );
  });
}

const portsOf = ({ hostports }: { readonly hostports?: unknown }): number[] =>
  Array.isArray(hostports) ? hostports.map((one) => portOf(String(one))) : [];

/**
 * Keeps the ports of TCP edges to themselves: they come from the server's range, no other edge has them, and
 * one that is reserved is its project's. Ports outside of the range have no TCP edge.
 */
export async function refuseTakenPorts(
  db: Kysely<Database>,
  changes: readonly ObjectChange[],
  opened: readonly Opened[],
  range: PortRange,
): Promise<void> {
  const written = new Written(changes);
  for (const one of opened.filter(({ isTcp }) => isTcp)) await refuseTcpPort(db, written, one, range);
  const others = opened.filter(({ isTcp, port }) => !isTcp && port >= range.first && port <= range.last);
  if (others.length === 0) return;
  if (db instanceof Transaction && db.facts.isOptimistic) {
    await breakIfTaken(db, others);
    return;
  }
  const holders = await new Existing(db).holdersOf(
    [...new Set(others.map(({ port }) => String(port)))].map((key) => ({ scope: TCP_PORT, key })),
  );
  const taken = new Set(holders.filter(({ id }) => !written.has(id)).map(({ value }) => Number(value)));
  for (const { port, path } of others)
    if (taken.has(port) || written.ofTcp.has(port)) refuseFaults([ofTcpEdge(path, port)]);
}

/** The objects that are written, and the ports that edges among them have afterwards. */
class Written {
  readonly #changes: ReadonlyMap<string, ObjectChange>;
  readonly ofTcp = new Set<number>();
  readonly ofNames = new Set<number>();

  constructor(changes: readonly ObjectChange[]) {
    this.#changes = new Map(changes.map((change) => [change.id, change]));
    for (const { definition, after } of changes)
      if (after && isEdgeKind(definition.kind))
        for (const port of portsOf(after))
          (definition.kind === "tcp_edge" ? this.ofTcp : this.ofNames).add(port);
  }

  has = (id: string): boolean => this.#changes.has(id);
  isDeleted = (id: string): boolean => this.has(id) && !this.#changes.get(id)?.after;
}

async function refuseTcpPort(
  db: Kysely<Database>,
  written: Written,
  { change, port, path }: Opened,
  { first, last }: PortRange,
): Promise<void> {
  const refuse = (error: Fault["error"], message: string) => refuseFaults([{ error, path, message }]);
  if (port < first || port > last)
    refuse(
      "invalid_field",
      `has the port ${port}, and TCP edges have ports from ${first} to ${last} here (--tcp-ports): choose one of these, or reserve an address (/reserved_addrs), which gets a free one`,
    );
  const rivals = await namesAt(db, port);
  if (written.ofNames.has(port) || rivals.some(({ id }) => !written.has(id)))
    refuse(
      "taken",
      `has the port ${port}, which an edge for names serves; connections over TCP say no name, so use another port`,
    );
  const [reserved] = await new Existing(db).holdersOf([{ scope: "reserved_port", key: String(port) }]);
  if (reserved && reserved.project_id !== change.storedAs.project && !written.isDeleted(reserved.id))
    refuse("taken", `has the port ${port}, which another project reserved; choose another port`);
}

/** A request writes no more objects. */
const MAX_WRITTEN = 1_001;

const ofTcpEdge = (path: readonly PropertyKey[], port: number): Fault => ({
  error: "taken",
  path,
  message: `has the port ${port}, which a TCP edge serves; connections to it say no name, so use another port`,
});

/** Edges other than TCP edges at a port. Reads all hostports: TCP edges are opened seldom. */
export const namesAt = (db: Kysely<Database>, port: number): Promise<{ id: string }[]> =>
  edgesAt(db, { ending: `%:${port}`, limit: MAX_WRITTEN });

const edgesAt = statement<{ ending: string; limit: number }, { id: string }>((db, parameter) =>
  db
    .selectFrom("unique_key")
    .innerJoin("resource", "resource.id", "unique_key.resource_id")
    .select("resource.id")
    .where("scope", "=", "hostport")
    .where("value", "like", parameter("ending"))
    .where("resource.kind", "!=", "tcp_edge")
    .limit(parameter("limit")),
);

/** The commit fails if a TCP edge has one of the ports. */
const breakIfTaken = (transaction: Transaction, opened: readonly Opened[]): Promise<unknown> =>
  inParts([...new Set(opened.map(({ port }) => String(port)))], (values) =>
    repeatPorts(transaction, { values }),
  );

const repeatPorts = effect<{ values: string }>((db, parameter) =>
  repeatKeys(
    db,
    db
      .selectFrom("unique_key")
      .select(["scope", "value", "resource_id"])
      .where("scope", "=", TCP_PORT)
      .where(isListed(db, "value", parameter("values"))),
  ),
);

import type { Kysely, Selectable } from "kysely";
import { sql } from "kysely";
import type { Keyring } from "../secrets";
import {
  bulkInsertion,
  change,
  type Database,
  effect,
  type InboxRow,
  pipelined,
  recordsOf,
  statement,
  type Transaction,
} from "../storage";
import { Chain } from "./chain";
import { type Anchor, headText } from "./head";
import { RECORDED } from "./rows";

/** A row of the inbox as its writer signs it. */
export type Waiting = Omit<Selectable<InboxRow>, "n">;

/** A row of the inbox. */
export type InInbox = Selectable<InboxRow>;

/** The columns that the signature covers, in this order. */
const SIGNED = [
  "lane",
  "k",
  "created_at",
  "operation_id",
  "principal_id",
  "key_id",
  "client",
  "action",
  "object_id",
  "event_id",
  "event_type",
  "changed",
  "object_digest",
  "event_digest",
  "project_id",
] as const satisfies readonly (keyof Waiting)[];

const signedText = (row: Omit<Waiting, "data_key_id" | "mac">): string =>
  `${JSON.stringify(["inbox", ...SIGNED.map((field) => row[field])])}\n${row.payload}`;

/** Signs a row under a data key. */
export const signed = (
  keyring: Keyring,
  keyId: string,
  row: Omit<Waiting, "data_key_id" | "mac">,
): Waiting => ({ ...row, data_key_id: keyId, mac: keyring.sign(keyId, signedText(row)) });

/** Whether a server wrote the row as it is. */
export const isFromServer = (db: Kysely<Database>, keyring: Keyring, row: InInbox): Promise<boolean> =>
  keyring.verifies(db, row.data_key_id, signedText(row), row.mac);

/** The row's lane and number, as the audit row has it. */
export const laneText = ({ lane, k }: Pick<Waiting, "lane" | "k">): string => `${lane}:${k}`;

const COLUMNS = [...SIGNED, "payload", "data_key_id", "mac"] as const;

export const insertIntoInbox = bulkInsertion("inbox", COLUMNS);

/** Inserts one row, if its key is the one in use. If not, the row gets no key, and the table refuses it. */
export const insertUnderCurrentKey = effect<Waiting>((db, parameter) =>
  db.insertInto("inbox").values({
    ...(Object.fromEntries(COLUMNS.map((column) => [column, parameter(column)])) as unknown as Waiting),
    data_key_id: sql<string>`(select key_id from audit_head where key_id = ${parameter("data_key_id")})`,
  }),
);

// Rows and bytes of one page; an event may have two megabytes.
const PAGE = 500;
const PAGE_BYTES = 8 * 1024 * 1024;

/** A row that stays in the inbox, and why. */
export interface Refused {
  readonly n: number;
  readonly why: string;
}

export interface MovedRows {
  readonly count: number;
  readonly refused: readonly Refused[];
  /** Whether there may be more rows to move. */
  readonly more: boolean;
  /** The number of the last row that was looked at. */
  readonly through: number;
  /** The head of the log now. */
  readonly end: Anchor;
}

/**
 * Moves the rows of the inbox to the end of the event log and the audit log, until none is left. Rows that no
 * server wrote in this form stay.
 *
 * @param head the head of the log, locked by this transaction, so that nobody else moves anything meanwhile
 * @param after rows up to this number were moved before
 * @param pages limit of pages
 */
export async function moveInbox(
  transaction: Transaction,
  keyring: Keyring,
  head: Database["audit_head"],
  { after = 0, pages = Number.POSITIVE_INFINITY }: { after?: number; pages?: number } = {},
): Promise<MovedRows> {
  const chain = new Chain(head);
  const refused: Refused[] = [];
  const seen = new Set<string>();
  let [count, last, more] = [0, after, true];
  for (let page = 0; more && page < pages; page++) {
    const rows = await waitingRows(transaction, { after: last });
    const positions: (readonly [
      n: number,
      sequence: number,
      lane: string,
      previousHash: string,
      hash: string,
    ])[] = [];
    for (const { repeated, found, ...row } of rows) {
      const lane = laneText(row);
      const why =
        repeated || seen.has(lane)
          ? "it repeats another row"
          : (await isFromServer(transaction, keyring, row))
            ? undefined
            : "no server that has the master key wrote it in this form";
      last = row.n;
      more = found === PAGE || rows.length < found;
      if (why !== undefined) {
        refused.push({ n: row.n, why });
        continue;
      }
      seen.add(lane);
      const { sequence, previous_hash, hash } = chain.add({ ...row, lane });
      positions.push([row.n, sequence, lane, previous_hash, hash]);
    }
    if (rows.length === 0) more = false;
    if (positions.length > 0) await move(transaction, keyring, head.key_id, positions, chain.end);
    count += positions.length;
  }
  return { count, refused, more, through: last, end: chain.end };
}

interface Found extends InInbox {
  /** How many rows there were, {@link PAGE} at most; not all need to fit the page. */
  found: number;
  /** Rows that the log already has with this number of this lane. */
  repeated: number;
}

/** The first rows, in order. The page is bounded before its texts are read. */
const waitingRows = statement<{ after: number }, Found>((db, parameter) =>
  db
    .selectFrom(
      sql<
        InInbox & { through: number; nth: number; found: number }
      >`(select *, sum(octet_length(payload)) over (order by n) as through,
        row_number() over (order by n) as nth, count(*) over () as found
        from (select * from inbox where n > ${parameter("after")} order by n limit ${sql.lit(PAGE)}) as first_rows)`.as(
        "page",
      ),
    )
    .select(["n", ...COLUMNS, "found"])
    .select(
      sql<number>`(select count(*) from audit_event where audit_event.lane = page.lane || ':' || page.k)`.as(
        "repeated",
      ),
    )
    .where(sql<boolean>`through <= ${sql.lit(PAGE_BYTES)} or nth = 1`)
    .orderBy("n"),
);

interface Position {
  n: number;
  sequence: number;
  lane: string;
  previous_hash: string;
  hash: string;
}

/** Writes the rows into both logs, and takes them out of the inbox. */
async function move(
  transaction: Transaction,
  keyring: Keyring,
  keyId: string,
  positions: readonly (readonly unknown[])[],
  { sequence, hash }: Anchor,
): Promise<void> {
  const list = JSON.stringify(positions);
  const mac = keyring.sign(keyId, headText(sequence, hash));
  const [, , taken] = await pipelined([
    placeAuditEvents(transaction, { list }),
    placeEvents(transaction, { list }),
    takeOut(transaction, { list }),
    moveHead(transaction, { sequence, hash, mac }),
  ]);
  if (taken !== positions.length)
    throw new Error(`Of ${positions.length} rows of the inbox, ${taken} were left to move`);
}

/** The columns that an audit row takes over as they are. */
const AUDIT_COLUMNS = [
  ...RECORDED,
  "object_digest",
  "event_digest",
  "project_id",
] as const satisfies readonly (keyof InInbox)[];

const positionsIn = (db: Kysely<Database>, list: string) =>
  recordsOf<Position>(db, list, {
    n: "bigint",
    sequence: "bigint",
    lane: "text",
    previous_hash: "text",
    hash: "text",
  }).as("position");

const placeAuditEvents = statement<{ list: string }, unknown>((db, parameter) =>
  db
    .insertInto("audit_event")
    .columns(["sequence", "lane", "previous_hash", "hash", ...AUDIT_COLUMNS])
    .expression(
      db
        .selectFrom(positionsIn(db, parameter("list")))
        .innerJoin("inbox", "inbox.n", "position.n")
        .select(["position.sequence", "position.lane", "position.previous_hash", "position.hash"])
        .select(AUDIT_COLUMNS.map((column) => `inbox.${column}` as const))
        .orderBy("position.sequence"),
    ),
);

const placeEvents = statement<{ list: string }, unknown>((db, parameter) =>
  db
    .insertInto("event")
    .columns(["sequence", "id", "type", "object_id", "created_at", "payload", "project_id"])
    .expression(
      db
        .selectFrom(positionsIn(db, parameter("list")))
        .innerJoin("inbox", "inbox.n", "position.n")
        .select(["position.sequence", "event_id", "event_type", "object_id", "created_at", "payload"])
        .select("project_id")
        .orderBy("position.sequence"),
    ),
);

const takeOut = change<{ list: string }>((db, parameter) =>
  db
    .deleteFrom("inbox")
    .where("n", "in", db.selectFrom(positionsIn(db, parameter("list"))).select("position.n")),
);

/** Moves the head of the log, with its signature. */
export const moveHead = statement<Pick<Database["audit_head"], "sequence" | "hash" | "mac">, unknown>(
  (db, parameter) =>
    db
      .updateTable("audit_head")
      .set({ sequence: parameter("sequence"), hash: parameter("hash"), mac: parameter("mac") }),
);

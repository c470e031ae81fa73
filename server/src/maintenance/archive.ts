import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { open, rm } from "node:fs/promises";
import { finished } from "node:stream/promises";
import { present } from "@tunnelplane/sdk/contract";
import { sql } from "kysely";
import {
  type Anchor,
  ARCHIVED,
  anchorText,
  archivedThrough,
  archiveHeader,
  auditRows,
  commandLine,
  faultsOfRow,
} from "../journal";
import type { ServerContext } from "../resources";
import type { Transaction } from "../storage";

export interface ArchivedRows {
  readonly rows: number;
  /** The last one; the log names it in a row of its own. */
  readonly last: Anchor;
}

/**
 * Moves the rows of the audit log from before a time into a file, for its owner only. They leave the database
 * once the file is on the disk, in the transaction that writes the row which names the last of them. Returns
 * undefined where there are none.
 */
export async function archiveAudit(
  context: ServerContext,
  before: string,
  file: string,
): Promise<ArchivedRows | undefined> {
  const { reader } = context.store;
  const start = await archivedThrough(reader);
  const next = await reader
    .selectFrom("audit_event")
    .select("sequence")
    .where("created_at", ">=", before)
    .orderBy("sequence")
    .limit(1)
    .executeTakeFirst();
  const found = await reader
    .selectFrom("audit_event")
    .select(["sequence", "hash"])
    .where("sequence", "<", next?.sequence ?? Number.MAX_SAFE_INTEGER)
    .orderBy("sequence", "desc")
    .limit(1)
    .executeTakeFirst();
  if (!found || Number(found.sequence) <= start.sequence) return undefined;
  const last = { sequence: Number(found.sequence), hash: found.hash };
  const rows = await write(context, file, start, last);
  await context.store
    .write((transaction) => forget(context, transaction, last), { alone: true })
    .catch(async (error) => {
      await rm(file, { force: true });
      throw error;
    });
  return { rows, last };
}

async function write({ store }: ServerContext, file: string, start: Anchor, end: Anchor): Promise<number> {
  const stream = createWriteStream(file, { flags: "wx", mode: 0o600 });
  await once(stream, "open").catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EEXIST" ? new Error(`${file} exists; name another file`) : error;
  });
  try {
    stream.write(`${JSON.stringify(archiveHeader(start.sequence + 1, end))}\n`);
    let last = start;
    let rows = 0;
    for await (const row of auditRows(store.reader, start.sequence, end.sequence)) {
      const [fault] = faultsOfRow(row, last, []);
      if (fault) throw new Error(`${fault}: nothing was archived; run "tunnelplane audit verify"`);
      last = { sequence: row.sequence, hash: row.hash };
      rows++;
      if (!stream.write(`${JSON.stringify(row)}\n`)) await once(stream, "drain");
    }
    stream.end();
    await finished(stream);
    const handle = await open(file, "r");
    await handle.sync().finally(() => handle.close());
    return rows;
  } catch (error) {
    stream.destroy();
    await rm(file, { force: true });
    throw error;
  }
}

async function forget(
  { store, journal, keyring }: ServerContext,
  transaction: Transaction,
  last: Anchor,
): Promise<void> {
  const action = { action: ARCHIVED, about: [anchorText(last)] };
  await journal.append(transaction, keyring.currentId, commandLine(), [action]);
  // Nothing else may ever remove a row, so the database itself refuses that.
  const [lift, restore] = store.isParallel ? ON_POSTGRES : await onSqlite(transaction);
  await sql.raw(lift).execute(transaction);
  await transaction.deleteFrom("audit_event").where("sequence", "<=", last.sequence).execute();
  await sql.raw(restore).execute(transaction);
}

const ON_POSTGRES = [
  "alter table audit_event disable trigger audit_event_append_only",
  "alter table audit_event enable trigger audit_event_append_only",
] as const;

/** SQLite disables no trigger: it is dropped, and made again as it was. */
async function onSqlite(transaction: Transaction): Promise<readonly [lift: string, restore: string]> {
  const name = "audit_event_no_delete";
  const { rows } = await sql<{ sql: string }>`
    select sql from sqlite_master where type = 'trigger' and name = ${name}`.execute(transaction);
  return [`drop trigger ${name}`, present(rows[0]).sql];
}

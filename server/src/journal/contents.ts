import { definitionNamed } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import type { Documents } from "../documents";
import type { Database } from "../storage";
import type { Archived } from "./archive";
import { type Digests, storedAsOf } from "./digests";
import type { Faults } from "./faults";
import { OF_NO_OBJECT, PRUNED_THROUGH } from "./rows";
import type { InboxEntry } from "./verifyInbox";

// Rows that PostgreSQL sends at once; one may have two megabytes.
const PAGE = 50;

/** The facts to compare contents with. */
interface Known {
  readonly documents: Documents;
  readonly digests: Digests;
  /** Objects that changed after the end of the log. */
  readonly inbox: ReadonlyMap<string, InboxEntry>;
  /** The last row that is in an archive. */
  readonly through: number;
  /** What the archives say; undefined where none were given. */
  readonly archived: Archived | undefined;
  readonly prunedThrough: number;
}

/**
 * Compares each event and object with its last audit row. Returns how many could not be compared, because
 * that row is in an archive.
 */
export async function compareContents(db: Kysely<Database>, known: Known, faults: Faults): Promise<number> {
  const events = await compareEvents(db, known, faults);
  const objects = await compareObjects(db, known, faults);
  await findRemoved(db, known, faults);
  await findRemovedEvents(db, known.prunedThrough, faults);
  return events + objects;
}

/** The row up to which events may have been pruned; 0 if none were. */
export async function prunedThroughOf(db: Kysely<Database>): Promise<number> {
  const pruned = await db
    .selectFrom("setting")
    .select("value")
    .where("name", "=", PRUNED_THROUGH)
    .executeTakeFirst();
  return Number(pruned?.value ?? 0);
}

async function compareEvents(
  db: Kysely<Database>,
  { digests, through, archived }: Known,
  faults: Faults,
): Promise<number> {
  let uncompared = 0;
  const rows = db
    .selectFrom("event")
    .leftJoin("audit_event", "audit_event.sequence", "event.sequence")
    .selectAll("event")
    .select(["audit_event.event_id as logged_id", "audit_event.event_digest as digest"])
    .orderBy("event.sequence")
    .stream(PAGE);
  for await (const { logged_id, digest: logged, ...event } of rows) {
    if (event.sequence <= through && !archived) {
      uncompared++;
      continue;
    }
    const filed = event.sequence <= through ? archived?.events.get(event.sequence) : undefined;
    const [loggedId, digest] = [filed?.event_id ?? logged_id, filed?.event_digest ?? logged];
    const label = `the event ${event.id} of row ${event.sequence}`;
    if (loggedId !== event.id)
      faults.add(`${label} was added without the server: the log has no such event there`);
    else if (digests.ofEvent(event) !== digest)
      faults.add(`${label} was changed: it is not what the log says`);
  }
  return uncompared;
}

async function compareObjects(db: Kysely<Database>, known: Known, faults: Faults): Promise<number> {
  let uncompared = 0;
  const rows = db
    .with("latest", latest)
    .selectFrom("resource")
    .leftJoin("latest", "latest.object_id", "resource.id")
    .leftJoin("audit_event", "audit_event.sequence", "latest.sequence")
    .selectAll("resource")
    .select(["audit_event.sequence", "audit_event.action", "audit_event.object_digest"])
    .stream(PAGE);
  for await (const { sequence: logged, action: loggedAction, object_digest: digest, ...row } of rows) {
    const filed = logged === null ? known.archived?.latest.get(row.id) : undefined;
    const entry = filed ?? { sequence: logged, action: loggedAction, object_digest: digest };
    const waiting = known.inbox.get(row.id);
    const last = waiting
      ? { ...waiting, name: `row ${waiting.n} of the inbox` }
      : {
          name: `row ${entry.sequence}`,
          isDeleted: entry.action?.endsWith("_deleted"),
          digest: entry.object_digest,
        };
    const isLogged = waiting !== undefined || entry.sequence !== null;
    const label = `the object ${row.id}`;
    if (!isLogged && known.through > 0 && !known.archived) uncompared++;
    else if (!isLogged) faults.add(`${label} was added without the server: the log has no such object`);
    else if (last.isDeleted) faults.add(`${label} was put back without the server: ${last.name} deleted it`);
    else if ((await digestOf(db, known, row)) !== last.digest)
      faults.add(
        `${label} was changed without the server: its document, kind, owner_id, project_id or version is not what ${last.name} left`,
      );
  }
  return uncompared;
}

/** Undefined if no server could have written the row. */
async function digestOf(
  db: Kysely<Database>,
  { documents, digests }: Known,
  row: Database["resource"],
): Promise<string | undefined> {
  try {
    const definition = definitionNamed(row.kind);
    // JSON can write the same value in several ways. The server writes one; other readers may understand the
    // others differently.
    if (JSON.stringify(JSON.parse(row.document)) !== row.document) return undefined;
    const document = await documents.unsealed(db, definition, row.document);
    return document.id === row.id ? digests.ofObject(definition, storedAsOf(row), document) : undefined;
  } catch {
    return undefined;
  }
}

/** Finds missing events after a row. */
async function findRemovedEvents(db: Kysely<Database>, after: number, faults: Faults): Promise<void> {
  const rows = db
    .selectFrom("audit_event")
    .leftJoin("event", "event.sequence", "audit_event.sequence")
    .select(["audit_event.sequence", "audit_event.event_id"])
    .where("audit_event.sequence", ">", after)
    .where("audit_event.event_id", "is not", null)
    .where("event.id", "is", null)
    .orderBy("audit_event.sequence")
    .stream(PAGE);
  for await (const { sequence, event_id } of rows)
    faults.add(
      `the event ${event_id} of row ${sequence} was removed without the server: events are pruned up to row ${after} only`,
    );
}

/** Finds missing objects. */
async function findRemoved(db: Kysely<Database>, { inbox, archived }: Known, faults: Faults): Promise<void> {
  if (archived) await findRemovedSinceArchived(db, { inbox, archived }, faults);
  for (const [id, { n, isDeleted }] of inbox) {
    if (isDeleted) continue;
    const found = await db.selectFrom("resource").select("id").where("id", "=", id).executeTakeFirst();
    if (!found)
      faults.add(`the object ${id} was removed without the server: row ${n} of the inbox left it there`);
  }
  const logged = db
    .with("latest", latest)
    .selectFrom("latest")
    .innerJoin("audit_event", "audit_event.sequence", "latest.sequence")
    .leftJoin("resource", "resource.id", "latest.object_id")
    .select(["latest.object_id as id", "audit_event.sequence"])
    .where("resource.id", "is", null)
    .where("audit_event.action", "not like", "%deleted")
    .where("audit_event.action", "not in", OF_NO_OBJECT)
    .stream(PAGE);
  for await (const { id, sequence } of logged) {
    if (id !== null && !inbox.has(id))
      faults.add(`the object ${id} was removed without the server: row ${sequence} left it there`);
  }
}

/** Finds missing objects that only archived rows are about. */
async function findRemovedSinceArchived(
  db: Kysely<Database>,
  { inbox, archived }: { inbox: Known["inbox"]; archived: Archived },
  faults: Faults,
): Promise<void> {
  const left = new Map(archived.latest);
  for await (const { object_id: id } of db
    .with("latest", latest)
    .selectFrom("latest")
    .select("object_id")
    .stream(PAGE))
    if (id !== null) left.delete(id);
  for await (const { id } of db.selectFrom("resource").select("id").stream(PAGE)) left.delete(id);
  for (const [id, { sequence, action }] of left)
    if (!OF_NO_OBJECT.includes(action) && !inbox.has(id))
      faults.add(`the object ${id} was removed without the server: row ${sequence} left it there`);
}

/**
 * The last audit row of each object; rows without an event are of other things. Databases find them in
 * bounded memory; an index would slow down every change.
 */
const latest = (db: Pick<Kysely<Database>, "selectFrom">) =>
  db
    .selectFrom("audit_event")
    .select(({ fn }) => ["object_id", fn.max<number>("sequence").as("sequence")])
    .where("object_id", "is not", null)
    .where("event_id", "is not", null)
    .groupBy("object_id");

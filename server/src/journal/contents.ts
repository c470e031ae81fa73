import { definitionNamed } from "@tunnelplane/sdk/contract";
import { type Kysely, sql } from "kysely";
import type { Documents } from "../documents";
import type { AuditEventRow, Database } from "../storage";
import { digestOfBaseline } from "./baseline";
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
  /** The audit row that covers the table `baseline`. */
  readonly baseline: AuditEventRow | undefined;
  /** Objects that changed after the end of the log. */
  readonly inbox: ReadonlyMap<string, InboxEntry>;
}

interface Compared {
  /** Number of events and objects that have no audit row. */
  readonly unknown: number;
  /** Events up to this row may have been pruned; 0 if none were. */
  readonly prunedThrough: number;
}

/** Compares each event and object with its last audit row. */
export async function compareContents(db: Kysely<Database>, known: Known, faults: Faults): Promise<Compared> {
  await compareBaseline(db, known, faults);
  const unknown = (await compareEvents(db, known, faults)) + (await compareObjects(db, known, faults));
  await findRemoved(db, known, faults);
  const pruned = await db
    .selectFrom("setting")
    .select("value")
    .where("name", "=", PRUNED_THROUGH)
    .executeTakeFirst();
  const prunedThrough = Number(pruned?.value ?? 0);
  await findRemovedEvents(db, Math.max(prunedThrough, known.baseline?.sequence ?? 0), faults);
  return { unknown, prunedThrough };
}

async function compareBaseline(
  db: Kysely<Database>,
  { digests, baseline }: Known,
  faults: Faults,
): Promise<void> {
  const vouched = baseline ? baseline.object_digest : digests.ofList()?.digest("base64url");
  if ((await digestOfBaseline(db, digests)) === vouched) return;
  faults.add(
    `the table baseline was changed: it is not what ${baseline ? `row ${baseline.sequence} recorded` : "any row recorded"}`,
  );
}

async function compareEvents(
  db: Kysely<Database>,
  { digests, baseline }: Known,
  faults: Faults,
): Promise<number> {
  const rows = db
    .selectFrom("event")
    .leftJoin("audit_event", "audit_event.sequence", "event.sequence")
    .leftJoin("baseline", "baseline.id", "event.id")
    .selectAll("event")
    .select([
      "audit_event.event_id as logged_id",
      "audit_event.event_digest as digest",
      "baseline.digest as recorded",
    ])
    .orderBy("event.sequence")
    .stream(PAGE);
  let unknown = 0;
  for await (const { logged_id: loggedId, digest, recorded, ...event } of rows) {
    const place = `the event ${event.id} of row ${event.sequence}`;
    const expected = digest ?? (isBefore(baseline, event.sequence) ? recorded : undefined);
    if (loggedId !== event.id || expected === null)
      faults.add(`${place} was added without the server: the log has no such event there`);
    else if (expected === undefined) unknown++;
    else if (digests.ofEvent(event) !== expected)
      faults.add(`${place} was changed: it is not what the log says`);
  }
  return unknown;
}

async function compareObjects(db: Kysely<Database>, known: Known, faults: Faults): Promise<number> {
  const rows = db
    .with("latest", latest)
    .selectFrom("resource")
    .leftJoin("latest", "latest.object_id", "resource.id")
    .leftJoin("audit_event", "audit_event.sequence", "latest.sequence")
    .leftJoin("baseline", "baseline.id", "resource.id")
    .selectAll("resource")
    .select([
      "audit_event.sequence",
      "audit_event.action",
      "audit_event.object_digest",
      "baseline.digest as recorded",
    ])
    .stream(PAGE);
  let unknown = 0;
  for await (const { sequence, action, object_digest, recorded, ...row } of rows) {
    const place = `the object ${row.id}`;
    const waiting = known.inbox.get(row.id);
    if (waiting?.isDeleted)
      faults.add(`${place} was put back without the server: row ${waiting.n} of the inbox deleted it`);
    else if (waiting && (await digestOf(db, known, row)) !== waiting.digest) {
      faults.add(
        `${place} was changed without the server: its document, kind, owner_id, project_id or version is not what row ${waiting.n} of the inbox left`,
      );
    }
    if (waiting) continue;
    const expected =
      object_digest ?? (sequence === null || isBefore(known.baseline, sequence) ? recorded : undefined);
    if (action?.endsWith("_deleted"))
      faults.add(`${place} was put back without the server: row ${sequence} deleted it`);
    else if (expected === null)
      faults.add(`${place} was added without the server: the log has no such object`);
    else if (expected === undefined) unknown++;
    else if ((await digestOf(db, known, row)) !== expected) {
      const left = object_digest === null ? known.baseline?.sequence : sequence;
      faults.add(
        `${place} was changed without the server: its document, kind, owner_id, project_id or version is not what row ${left} left`,
      );
    }
  }
  return unknown;
}

/** Undefined if no server could have written the row. */
async function digestOf(
  db: Kysely<Database>,
  { documents, digests }: Known,
  row: Database["resource"],
): Promise<string | null | undefined> {
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
async function findRemoved(db: Kysely<Database>, { inbox }: Known, faults: Faults): Promise<void> {
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
  const recorded = db
    .with("latest", latest)
    .selectFrom("baseline")
    .leftJoin("latest", "latest.object_id", "baseline.id")
    .leftJoin("resource", "resource.id", "baseline.id")
    .select("baseline.id")
    .where("latest.object_id", "is", null)
    .where("resource.id", "is", null)
    .where(sql<boolean>`substr(baseline.id, 1, 3) <> 'ev_'`)
    .stream(PAGE);
  for await (const { id } of recorded) {
    if (!inbox.has(id)) faults.add(`the object ${id} was removed without the server: the baseline has it`);
  }
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

const isBefore = (baseline: AuditEventRow | undefined, sequence: number): boolean =>
  baseline !== undefined && sequence < baseline.sequence;

import { actionOf, type Kind, present } from "@tunnelplane/sdk/contract";
import { type Document, type Documents, textIn } from "../documents";
import { KeyRotated, type Keyring } from "../secrets";
import type { Store } from "../storage";
import {
  type AuditEventRow,
  bulkInsertion,
  type Database,
  type Lane,
  pipelined,
  type Transaction,
} from "../storage";
import { Chain } from "./chain";
import type { Digests } from "./digests";
import { type Anchor, headText } from "./head";
import { insertIntoInbox, insertUnderCurrentKey, laneText, moveHead, moveInbox, signed } from "./inbox";
import {
  type Author,
  type EventPayload,
  eventAbout,
  eventOf,
  type ObjectChange,
  printEvent,
} from "./payload";
import type { RowIds } from "./rowIds";
import { HASHED } from "./rows";

/** An action that changes no object, for example a rotation. */
export interface AuditedAction {
  readonly action: string;
  /** The name of its subject, which is not an object: a gateway. */
  readonly subject?: string;
  /** What it is about, in the place of the paths that an update changed. Default: nothing. */
  readonly about?: readonly string[];
  /** The id of its subject's project. Default: it is about the whole account. */
  readonly project?: string;
  /** The event of something that no program declares, for example a session of an agent. */
  readonly event?: { readonly type: string; readonly object: Document & { readonly id: string } };
}

/** Follows changes of kinds that must know exactly which events come before them. */
export interface Follower {
  readonly kinds: readonly Kind[];
  /**
   * Called after each change of an object of these kinds, in its transaction, while that holds the head of
   * the log.
   * @param sequence of the change's event
   */
  follow(transaction: Transaction, change: ObjectChange, sequence: number): Promise<void>;
}

/**
 * Records every change, in its transaction: an event for each change of an object, and an audit row for every
 * action. Both share one sequence, which is the order of commits.
 *
 * On PostgreSQL, writers would take turns at the end of the log. So they only insert into the inbox, and a
 * sequencer gives the rows their positions; see {@link Sequencer}. Changes that need an exact position, and
 * all changes on SQLite, go into the log at once.
 */
export class Journal {
  /** The parts that were prepared before the transaction. */
  readonly #ahead = new WeakMap<ObjectChange, Prepared>();
  /** Whether SQLite's inbox is known to be empty: only a restored backup brings rows into it. */
  #emptied = false;

  constructor(
    private readonly documents: Documents,
    private readonly keyring: Keyring,
    private readonly digests: Digests,
    /** The account's id in events. */
    readonly accountId: string,
    private readonly follower: Follower,
  ) {}

  /** The ids of audit rows for callers who see only their own project. */
  get rowIds(): RowIds {
    return this.digests.rowIds;
  }

  /**
   * Composes the event of a change before its transaction, so that many changes do not hold up other writers.
   */
  prepare(change: ObjectChange, author: Author): void {
    this.#ahead.set(change, this.#prepare(change, author, new Date()));
  }

  /**
   * Call this last in a transaction, after its last lock and its last check: from here on the order of
   * changes is fixed.
   *
   * @param begunUnder the data key that was in use when the transaction began
   * @throws KeyRotated when the transaction may have sealed something under a key that is no longer in use
   */
  async append(
    transaction: Transaction,
    begunUnder: string,
    author: Author,
    changes: readonly (ObjectChange | AuditedAction)[],
  ): Promise<void> {
    if (changes.length === 0) return;
    const now = new Date();
    // Prepare before locking the head, because others wait for it.
    const prepared = changes.map(
      (one) => ("definition" in one && this.#ahead.get(one)) || this.#prepare(one, author, now),
    );
    const { lane } = transaction.facts;
    const events = prepared.flatMap((one) => (hasEvent(one) ? [one] : []));
    const isExact = !lane || events.length < changes.length || changes.some((one) => this.#isFollowed(one));
    if (isExact) await this.#chain(transaction, begunUnder, lane, prepared, changes);
    else await this.#leave(transaction, begunUnder, lane, events);
  }

  #isFollowed(one: ObjectChange | AuditedAction): boolean {
    return "definition" in one && this.follower.kinds.includes(one.definition.kind);
  }

  /** Leaves changes in the inbox. */
  async #leave(
    transaction: Transaction,
    begunUnder: string,
    lane: Lane,
    prepared: readonly WithEvent[],
  ): Promise<void> {
    const rows = prepared.map(({ event, row }) =>
      signed(this.keyring, begunUnder, { ...row, ...eventColumns(event), lane: lane.id, k: lane.draw() }),
    );
    if (transaction.facts.isOptimistic)
      await pipelined(rows.map((row) => insertUnderCurrentKey(transaction, row)));
    else
      await pipelined([
        this.keyring.requireCurrent(transaction, begunUnder),
        insertIntoInbox(transaction, rows),
      ]);
  }

  /** Writes changes at the end of the log, behind the rows of the inbox. */
  async #chain(
    transaction: Transaction,
    begunUnder: string,
    lane: Lane | undefined,
    prepared: readonly Prepared[],
    changes: readonly (ObjectChange | AuditedAction)[],
  ): Promise<void> {
    const head = await this.keyring.lockHead(transaction, begunUnder);
    const chain = new Chain(await this.#emptyInbox(transaction, head));
    const rows = prepared.map(({ row }) =>
      chain.add({ ...row, lane: lane ? laneText({ lane: lane.id, k: lane.draw() }) : null }),
    );
    const logged = rows.flatMap(({ sequence }, index) => {
      const event = prepared[index]?.event;
      return event ? [{ event: { ...event, sequence }, change: present(changes[index]) }] : [];
    });
    const follow = async () => {
      for (const { event, change } of logged) {
        if ("definition" in change && this.#isFollowed(change))
          await this.follower.follow(transaction, change, event.sequence);
      }
    };
    const { sequence, hash } = chain.end;
    // Pipelined, because others wait for the head.
    await pipelined([
      insertAuditEvents(transaction, rows),
      insertEvents(
        transaction,
        logged.map(({ event }) => event),
      ),
      moveHead(transaction, {
        sequence,
        hash,
        mac: this.keyring.sign(head.key_id, headText(sequence, hash)),
      }),
      follow(),
    ]);
  }

  /** Returns the head of the log behind the rows that waited. */
  async #emptyInbox(transaction: Transaction, head: Database["audit_head"]): Promise<Anchor> {
    if (this.#emptied) return head;
    const { count, refused, end } = await moveInbox(transaction, this.keyring, head);
    this.#emptied = transaction.facts.lane === undefined && count === 0 && refused.length === 0;
    return end;
  }

  /** The event and the audit row, without their position in the log. */
  #prepare(one: ObjectChange | AuditedAction, author: Author, now: Date): Prepared {
    const { operationId, ownerId, keyId, client } = author;
    const by = {
      created_at: now.toISOString(),
      operation_id: operationId,
      principal_id: ownerId,
      key_id: keyId ?? null,
      client: client ?? null,
    };
    const facts = { now, accountId: this.accountId, documents: this.documents };
    if (!("definition" in one)) {
      const { event: told, project = null } = one;
      const payload = told && eventAbout(told, author, facts);
      const event = payload && rowOf(payload, JSON.stringify(payload), present(one.project));
      return {
        ...(event && { event }),
        row: {
          ...by,
          action: one.action,
          object_id: one.subject ?? null,
          event_id: event?.id ?? null,
          changed: JSON.stringify(one.about ?? []),
          project_id: project,
          object_digest: null,
          event_digest: event ? this.digests.ofEvent(event) : null,
        },
      };
    }
    const payload = eventOf(one, author, facts);
    const event = rowOf(payload, printEvent(payload, one), one.storedAs.project);
    return {
      event,
      row: {
        ...by,
        action: actionOf(payload.event_type),
        object_id: one.id,
        event_id: event.id,
        changed: JSON.stringify(payload.changes?.map(({ path }) => path) ?? []),
        object_digest: one.after
          ? this.digests.ofObject(one.definition, one.storedAs, one.after, one.json)
          : null,
        event_digest: this.digests.ofEvent(event),
        project_id: event.project_id,
      },
    };
  }
}

/** A change without its position in the log. */
interface Prepared {
  readonly row: Omit<AuditEventRow, "sequence" | "previous_hash" | "hash" | "lane">;
  /** Absent for an action that changes no object. */
  readonly event?: Omit<Database["event"], "sequence">;
}

type WithEvent = Required<Prepared>;

const hasEvent = (prepared: Prepared): prepared is WithEvent => prepared.event !== undefined;

/** The columns of a row of the inbox that the audit row does not have, or has by another name. */
const eventColumns = ({ id, type, object_id, payload, project_id }: WithEvent["event"]) => ({
  event_id: id,
  event_type: type,
  object_id,
  payload,
  project_id,
});

const rowOf = (
  event: EventPayload,
  payload: string,
  project: string,
): Omit<Database["event"], "sequence"> => ({
  id: event.event_id,
  type: event.event_type,
  object_id: textIn(event.object, "id"),
  created_at: event.event_timestamp,
  payload,
  project_id: project,
});

const insertAuditEvents = bulkInsertion("audit_event", [...HASHED, "hash"]);

const insertEvents = bulkInsertion("event", [
  "id",
  "sequence",
  "type",
  "object_id",
  "created_at",
  "payload",
  "project_id",
]);

/**
 * Runs a transaction that ends in the journal; runs it again if the data key changed meanwhile.
 * @param work gets the data key under which it began, for {@link Journal.append}
 */
export async function journaled<T>(
  { store, keyring }: { readonly store: Store; readonly keyring: Keyring },
  work: (transaction: Transaction, begunUnder: string) => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await store.write((transaction) => work(transaction, keyring.currentId));
    } catch (error) {
      if (!(error instanceof KeyRotated)) throw error;
    }
  }
}

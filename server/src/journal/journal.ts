import type { Kysely } from "kysely";
import { type Documents, textIn } from "../documents";
import type { Keyring } from "../secrets";
import { type AuditEventRow, bulkInsertion, type Database, pipelined, statement } from "../storage";
import { takeTurn } from "../util";
import type { Digests } from "./digests";
import { headText } from "./head";
import { type Author, type EventPayload, eventOf, type ObjectChange } from "./payload";
import { DIGESTS, HASHED, hashOf } from "./rows";

/** An action that changes no object, for example a rotation. */
export interface Act {
  readonly action: string;
  /** Digest of its subject, which is no object. */
  readonly digest?: string;
}

/**
 * Called after each change of an object, in its transaction, while that holds the head of the log.
 * @param sequence of the change's event
 */
export type Follow = (transaction: Kysely<Database>, change: ObjectChange, sequence: number) => Promise<void>;

/**
 * Writes an event for each change of an object, and an audit row for every action, in the transaction of the change.
 * Both share one sequence, which is the order of commits.
 */
export class Journal {
  /** What was prepared before its transaction. */
  readonly #ahead = new WeakMap<ObjectChange, Prepared>();

  constructor(
    private readonly documents: Documents,
    private readonly keyring: Keyring,
    private readonly digests: Digests,
    /** The account's id in events. */
    readonly accountId: string,
    private readonly follow: Follow,
  ) {}

  /** Composes the event of a change before its transaction, so that many changes do not hold up other writers. */
  prepare(change: ObjectChange, author: Author): void {
    this.#ahead.set(change, this.#prepare(change, author, new Date()));
  }

  /**
   * Call this last in a transaction: it locks the head of the log, so that writers commit one after the other.
   *
   * @param begunUnder the data key that was in use when the transaction began
   * @throws KeyRotated when the transaction may have sealed something under a key that is no longer in use
   */
  async append(transaction: Kysely<Database>, begunUnder: string, author: Author, changes: readonly (ObjectChange | Act)[]): Promise<void> {
    if (changes.length === 0) return;
    const now = new Date();
    // Prepare before locking the head, because all other writers wait for it.
    const prepared = changes.map((one) => ("definition" in one && this.#ahead.get(one)) || this.#prepare(one, author, now));
    const head = await this.keyring.lockHead(transaction, begunUnder);
    let [sequence, previous] = [head.sequence, head.hash];
    const rows: AuditEventRow[] = prepared.map(({ action, objectId, event, changed, ...digests }) => {
      const row = {
        sequence: ++sequence,
        created_at: now.toISOString(),
        operation_id: author.operationId,
        principal_id: author.ownerId,
        key_id: author.keyId ?? null,
        client: author.client ?? null,
        action,
        object_id: objectId,
        event_id: event?.id ?? null,
        changed,
        ...digests,
        previous_hash: previous,
      };
      previous = hashOf(row);
      return { ...row, hash: previous };
    });
    const mac = this.keyring.sign(head.key_id, headText(sequence, previous));
    const told = rows.flatMap(({ sequence }, index) => {
      const event = prepared[index]?.event;
      return event ? [{ event: { ...event, sequence }, change: changes[index] as ObjectChange }] : [];
    });
    const follow = async () => {
      for (const { event, change } of told) await this.follow(transaction, change, event.sequence);
    };
    // Pipelined, because all other writers wait for the head.
    await pipelined([
      insertAuditEvents(transaction, rows, takeTurn),
      insertEvents(
        transaction,
        told.map(({ event }) => event),
        takeTurn,
      ),
      moveHead(transaction, { sequence, hash: previous, mac }),
      follow(),
    ]);
  }

  /** The event and the audit row, without their place in the log. */
  #prepare(one: ObjectChange | Act, author: Author, now: Date): Prepared {
    if (!("definition" in one)) {
      return { action: one.action, objectId: null, changed: "[]", object_digest: one.digest ?? null, event_digest: null };
    }
    const payload = eventOf(one, author, { now, accountId: this.accountId, documents: this.documents });
    const event = rowOf(payload);
    return {
      action: payload.event_type.replace(/\.v\d+$/, ""),
      objectId: one.id,
      event,
      changed: JSON.stringify(payload.changes?.map(({ path }) => path) ?? []),
      object_digest: one.after ? this.digests.ofObject(one.definition, one.storedAs, one.after) : null,
      event_digest: this.digests.ofEvent(event),
    };
  }
}

interface Prepared extends Pick<AuditEventRow, "action" | "changed" | "object_digest" | "event_digest"> {
  readonly objectId: string | null;
  readonly event?: Omit<Database["event"], "sequence">;
}

const rowOf = (event: EventPayload): Omit<Database["event"], "sequence"> => ({
  id: event.event_id,
  type: event.event_type,
  object_id: textIn(event.object, "id"),
  created_at: event.event_timestamp,
  payload: JSON.stringify(event),
});

const insertAuditEvents = bulkInsertion("audit_event", [...HASHED, ...DIGESTS, "hash"]);

const insertEvents = bulkInsertion("event", ["id", "sequence", "type", "object_id", "created_at", "payload"]);

const moveHead = statement<Pick<Database["audit_head"], "sequence" | "hash" | "mac">, unknown>((db, parameter) =>
  db.updateTable("audit_head").set({ sequence: parameter("sequence"), hash: parameter("hash"), mac: parameter("mac") }),
);

import type { Kysely } from "kysely";
import type { Documents } from "../documents";
import { followSubscriptions } from "../events/subscriptions";
import type { Keyring } from "../sealing/keyring";
import type { AuditEventRow, Database } from "../storage/schema";
import { insertion, statement, together } from "../storage/statement";
import { HASHED, hashOf } from "./auditRow";
import { type Author, type EventPayload, eventOf, type ObjectChange } from "./event";

/** Something that happened to no object, for example that keys were rotated. */
export interface Act {
  readonly action: string;
}

/**
 * What happened, written in the transaction in which it happens: an event for each change of an object, and
 * a row of the audit log for everything. Both share one sequence, which is the order of commits.
 */
export class Journal {
  constructor(
    private readonly documents: Documents,
    private readonly keyring: Keyring,
    /** What events call the whole. */
    readonly accountId: string,
  ) {}

  /**
   * Has to be the last thing that a transaction does: it locks the end of the log, and so makes writers
   * commit one after the other.
   *
   * @param begunUnder the data key that was in use when the transaction began
   * @throws KeyRotated when the transaction may have sealed something under a key that is no longer in use
   */
  async append(
    transaction: Kysely<Database>,
    begunUnder: string,
    author: Author,
    happened: readonly (ObjectChange | Act)[],
  ): Promise<void> {
    if (happened.length === 0) return;
    const now = new Date();
    const events: (EventPayload | undefined)[] = happened.map((one) =>
      "definition" in one ? eventOf(one, author, { now, accountId: this.accountId, documents: this.documents }) : undefined,
    );
    const head = await this.keyring.lockHead(transaction, begunUnder);
    let [sequence, previous] = [head.sequence, head.hash];
    const rows: AuditEventRow[] = happened.map((one, index) => {
      const event = events[index];
      const row = {
        sequence: ++sequence,
        created_at: now.toISOString(),
        operation_id: author.operationId,
        principal_id: author.ownerId,
        key_id: author.keyId ?? null,
        client: author.client ?? null,
        action: event?.event_type.replace(/\.v\d+$/, "") ?? (one as Act).action,
        object_id: "definition" in one ? one.id : null,
        event_id: event?.event_id ?? null,
        changed: JSON.stringify(event?.changes?.map(({ path }) => path) ?? []),
        previous_hash: previous,
      };
      previous = hashOf(row);
      return { ...row, hash: previous };
    });
    const mac = this.keyring.sign(head.key_id, headText(sequence, previous));
    const told = rows.flatMap(({ sequence }, index) => {
      const event = events[index];
      return event ? [{ sequence, event, change: happened[index] as ObjectChange }] : [];
    });
    const follow = async () => {
      for (const { sequence, change } of told) await followSubscriptions(transaction, change, sequence);
    };
    // At once, because everybody else waits for the end of the log.
    await together([
      ...rows.map((row) => insertAuditEvent(transaction, row)),
      ...told.map(({ event, sequence }) => insertEvent(transaction, rowOf(event, sequence))),
      moveHead(transaction, { sequence, hash: previous, mac }),
      follow(),
    ]);
  }
}

const rowOf = (event: EventPayload, sequence: number): Database["event"] => ({
  id: event.event_id,
  sequence,
  type: event.event_type,
  object_id: event.object.id as string,
  created_at: event.event_timestamp,
  payload: JSON.stringify(event),
});

const insertAuditEvent = insertion("audit_event", [...HASHED, "hash"]);

const insertEvent = insertion("event", ["id", "sequence", "type", "object_id", "created_at", "payload"]);

const moveHead = statement<Pick<Database["audit_head"], "sequence" | "hash" | "mac">, unknown>((db, parameter) =>
  db.updateTable("audit_head").set({ sequence: parameter("sequence"), hash: parameter("hash"), mac: parameter("mac") }),
);

/** What the code at the end of the log covers. */
export const headText = (sequence: number, hash: string): string => `${sequence}:${hash}`;

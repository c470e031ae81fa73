import { setTimeout as sleep } from "node:timers/promises";
import { Job } from "@tunnelplane/sdk/jobs";
import { sql } from "kysely";
import type { Keyring } from "../secrets";
import { type Database, pipelined, type Store, statement, type Transaction, Unavailable } from "../storage";
import { type MovedRows, moveInbox } from "./inbox";

// The least time between two passes: many commits become one pass, and others get the head of the log in
// between.
const GATHER_MS = 25;
// The same if another server was faster: that one is at work, and two servers that look do twice the work.
const FOLLOW_MS = 50;
// Polling finds rows of a server that died.
const POLL_MS = 1000;
// Pages of one pass: other passes and changes of subscriptions wait for it.
const MAX_PAGES = 4;
/** Another server that stops in a pass holds the head until the database ends its session (10 s). */
const WAIT_MS = 12_000;
const RETRY_MS = 5;
// Each row that stays in the inbox is logged once.
const MAX_LOGGED = 1000;

export interface SequencerOptions {
  /** Called after rows were moved: there may be new events to deliver. */
  readonly onMoved: () => void;
  readonly logger: { error(details: unknown, message: string): void };
}

/**
 * Moves committed changes from the inbox to their positions in the event log and the audit log. Every server
 * has one, on a connection of its own; whichever finds the head of the log free moves what all of them wrote,
 * in one transaction. So it may be killed at any step. On SQLite nothing waits in the inbox but what a
 * restored backup brought.
 */
export class Sequencer {
  readonly #passes = new Job({
    name: "move changes to the end of the event log",
    everyMs: POLL_MS,
    work: () => this.#move(),
    pauseMs: () =>
      Math.max(0, this.#passedAt + (this.#isFollowing ? FOLLOW_MS : GATHER_MS) - performance.now()),
    onError: (error, message) => this.#options?.logger.error({ err: error }, message),
  });
  #options: SequencerOptions | undefined;
  #passedAt = 0;
  /** Whether the last pass moved nothing: another server was faster, or has the head. */
  #isFollowing = false;
  /** The last row that the last pass looked at; 0 if another server has the head. */
  #through = 0;
  /** No row waits up to this number, and none will. */
  #low = 0;
  #mark: LowMark | undefined;
  readonly #logged = new Set<number>();

  /** @param waitMs limit of passes that move nothing, for those who wait */
  constructor(
    private readonly store: Store,
    private readonly keyring: Keyring,
    private readonly waitMs = WAIT_MS,
  ) {}

  /** Works until {@link stop}. */
  start(options: SequencerOptions): void {
    this.#options = options;
    if (this.store.isParallel) this.#passes.start();
  }

  /** Call this after a commit: the inbox may have rows. */
  wake(): void {
    this.#passes.wake();
  }

  /**
   * When it resolves, everything that was committed before the call is in the logs. Readers of them wait for
   * this.
   */
  async settle(): Promise<void> {
    const [last] = await lastWaiting(this.store.reader, { low: this.#low });
    if (!last) return;
    let movedAt = performance.now();
    while (!(await this.#passes.round()) && this.#through < last.n) {
      if (!this.#isFollowing) movedAt = performance.now();
      else if (performance.now() > movedAt + this.waitMs)
        throw new Unavailable(
          `${this.store.label}: another session has held the end of the audit log for too long`,
          undefined,
        );
      else await sleep(RETRY_MS);
    }
  }

  async stop(): Promise<void> {
    await this.#passes.stop();
    this.#options = undefined;
  }

  /** One pass. Returns whether it came to the end of the inbox; false if another has the head too. */
  async #move(): Promise<boolean> {
    const passed = await this.store
      .write((transaction) => this.#moveWhereFree(transaction), { onOwnConnection: true })
      .finally(() => {
        this.#passedAt = performance.now();
      });
    this.#isFollowing = !passed || passed.moved.count === 0;
    this.#through = passed?.moved.through ?? 0;
    if (!passed) return false;
    const { moved, drawn, ids } = passed;
    // Only now: before the commit, the rows may come back.
    if (ids && !moved.more) this.#raiseLow(drawn, ids);
    this.#report(moved);
    return !moved.more;
  }

  async #moveWhereFree(transaction: Transaction): Promise<Passed | undefined> {
    if (!this.store.isParallel) {
      const [head] = await freeHead(transaction, {});
      return (
        head && { moved: await moveInbox(transaction, this.keyring, head, { pages: MAX_PAGES }), drawn: 0 }
      );
    }
    // The lock needs its own statement: then the next one sees what the lock's previous holder committed. The
    // order matters for the low mark too: the lock gives this transaction its id.
    const [[last], [head], [ids]] = await pipelined([
      lastDrawn(transaction, {}),
      freeHead(transaction, {}),
      transactionIds(transaction, {}),
    ]);
    if (!head) return undefined;
    return {
      moved: await moveInbox(transaction, this.keyring, head, { after: this.#low, pages: MAX_PAGES }),
      drawn: last?.n ?? 0,
      ids,
    };
  }

  /**
   * Notes up to which number nothing waits. Without it, each pass would look through the rows that were moved
   * since the oldest snapshot in use began, such as that of a backup.
   *
   * Numbers are not in the order of commits. But a writer has its transaction's id before it draws a number.
   * So once every transaction has ended that had an id when a number was the last one, no smaller number can
   * appear, and a pass moves all rows below it.
   *
   * @param drawn the last number, read before this transaction got its id
   */
  #raiseLow(drawn: number, { own, oldest }: TransactionIds): void {
    if (this.#mark && oldest < this.#mark.end) return;
    this.#low = this.#mark?.n ?? this.#low;
    this.#mark = { n: drawn, end: own };
  }

  #report({ count, refused }: MovedRows): void {
    if (count > 0) this.#options?.onMoved();
    for (const { n, why } of refused) {
      if (this.#logged.has(n) || this.#logged.size >= MAX_LOGGED) continue;
      this.#logged.add(n);
      this.#options?.logger.error(
        { n, why },
        'a row of the table inbox was tampered with and is not delivered; run "tunnelplane audit verify"',
      );
    }
  }
}

interface Passed {
  readonly moved: MovedRows;
  /** The last number that was drawn before the pass. */
  readonly drawn: number;
  readonly ids?: TransactionIds | undefined;
}

interface LowMark {
  readonly n: number;
  /** Transactions that drew this number, or a smaller one, have smaller ids. */
  readonly end: number;
}

const lastWaiting = statement<{ low: number }, { n: number }>((db, parameter) =>
  db.selectFrom("inbox").select("n").where("n", ">", parameter("low")).orderBy("n", "desc").limit(1),
);

const lastDrawn = statement<object, { n: number | null }>((db) =>
  db.selectNoFrom(
    sql<number | null>`pg_sequence_last_value(pg_get_serial_sequence('inbox', 'n')::regclass)`.as("n"),
  ),
);

interface TransactionIds {
  readonly own: number;
  /** Every transaction with a smaller id has ended. */
  readonly oldest: number;
}

const transactionIds = statement<object, TransactionIds>((db) =>
  db.selectNoFrom([
    sql<number>`pg_current_xact_id()::text::bigint`.as("own"),
    sql<number>`pg_snapshot_xmin(pg_current_snapshot())::text::bigint`.as("oldest"),
  ]),
);

const freeHead = statement<object, Database["audit_head"]>((db) =>
  db.selectFrom("audit_head").selectAll().forUpdate().skipLocked(),
);

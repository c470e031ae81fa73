import type { Kysely } from "kysely";
import type { Caller } from "../auth/bootstrap";
import type { Documents } from "../documents/documents";
import type { Journal } from "../journal/journal";
import type { ObjectChange } from "../journal/payload";
import { KeyRotated, type Keyring } from "../secrets/keyring";
import type { Database } from "../storage/schema";
import type { Store } from "../storage/store";
import { ApiError } from "../util/apiError";
import type { Validation } from "../validation/validation";
import { answeredBefore, type Intent, keepAnswer } from "./idempotency";

/** What every part of the server works with. */
export interface Core {
  readonly store: Store;
  readonly documents: Documents;
  readonly keyring: Keyring;
  readonly journal: Journal;
  readonly validation: Validation;
}

/** What a request says of the changes that it asks for, beside the changes themselves. */
export interface ChangeContext {
  readonly caller: Caller;
  /** What the log calls the request. */
  readonly operationId: string;
  /** The client's address. */
  readonly client: string;
  /** Check everything, keep nothing. */
  readonly dryRun: boolean;
  /** The request may be repeated: answer it as the first time. */
  readonly intent?: Intent;
}

/** Ends the transaction of a change that was only to be tried. */
class Rehearsed extends Error {
  constructor(readonly result: unknown) {
    super("This was a dry run");
  }
}

/** The changes that one request makes: objects, events, audit rows and the kept answer in one transaction. */
export class Changes {
  constructor(
    private readonly core: Core,
    private readonly context: ChangeContext,
  ) {}

  get isRehearsal(): boolean {
    return this.context.dryRun;
  }

  /** What was answered to this request before, when it is repeated. */
  async answeredBefore<T>(): Promise<(T & { replayed: true }) | undefined> {
    return this.#answer(this.core.store.reader);
  }

  /** @param work makes the changes and adds to `happened` what they are; may run again from the start */
  async make<T>(work: (transaction: Kysely<Database>, happened: ObjectChange[]) => Promise<T>): Promise<T> {
    const { store, journal, keyring } = this.core;
    const { dryRun, intent, operationId, client } = this.context;
    const { ownerId, name, keyId } = this.context.caller;
    for (;;) {
      try {
        return await store.write(async (transaction) => {
          const begunUnder = keyring.currentId;
          const answered = await this.#answer<T>(transaction);
          if (answered) return answered;
          const happened: ObjectChange[] = [];
          const result = await work(transaction, happened);
          if (dryRun) throw new Rehearsed(result);
          if (intent) await keepAnswer(transaction, keyring, intent, result);
          await journal.append(transaction, begunUnder, { ownerId, name, keyId, operationId, client }, happened);
          return result;
        });
      } catch (error) {
        if (error instanceof Rehearsed) return error.result as T;
        if (error instanceof KeyRotated) continue;
        // Overtaken by its own repetition, a request finds taken what that one made.
        const answered = error instanceof ApiError && (await this.answeredBefore<T>());
        if (answered) return answered;
        throw error;
      }
    }
  }

  async #answer<T>(db: Kysely<Database>): Promise<(T & { replayed: true }) | undefined> {
    const { dryRun, intent } = this.context;
    const answer = intent && !dryRun && (await answeredBefore<T>(db, this.core.keyring, intent));
    return answer ? { ...answer, replayed: true } : undefined;
  }
}

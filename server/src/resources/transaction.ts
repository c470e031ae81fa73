import type { SearchResults } from "@tunnelplane/sdk";
import { may } from "@tunnelplane/sdk/contract";
import type { BrokenGuarantee, GuaranteeState, World } from "@tunnelplane/sdk/meaning";
import type { Kysely } from "kysely";
import { type Caller, holderOf, isAccountAdmin, seesAllProjects } from "../auth";
import type { Compute } from "../compute";
import type { Document, Documents } from "../documents";
import type { AuditedAction, Journal, ObjectChange, Sequencer } from "../journal";
import { KeyRotated, type Keyring } from "../secrets";
import type { Database, Store, Transaction } from "../storage";
import { type Budget, type Holder, RequestError, refusalForNow } from "../util";
import { noteCertificatePolicies } from "./certificatePolicies";
import { answeredBefore, type IdempotentRequest, keepAnswer } from "./idempotency";
import type { NameSettings } from "./nameSettings";
import { refuseForbidden } from "./refusals";

/** The shared services of the server. */
export interface ServerContext {
  readonly store: Store;
  readonly documents: Documents;
  readonly keyring: Keyring;
  readonly journal: Journal;
  readonly sequencer: Sequencer;
  readonly compute: Compute;
  readonly guard: Guard;
  readonly search: Finder;
  /** The turns of change sets. */
  readonly changeSets: Budget;
  /** The turns of reads of megabytes. */
  readonly largeReads: Budget;
  readonly names: NameSettings;
}

/**
 * Checks the changes of a request before they are committed.
 *
 * @throws NotEvaluated if the changes have to be evaluated first; the transaction then runs again
 * @throws RequestError if they are refused
 */
export type Check = (db: Kysely<Database>, changes: readonly ObjectChange[]) => Promise<void>;

interface StatesToJudge {
  readonly world: World;
  readonly guarantees: readonly Document[];
}

/** A guarantee that a change breaks and that an admin of the account sets aside. */
export interface SetAside extends Pick<BrokenGuarantee, "example" | "reason"> {
  readonly id: string;
  readonly fields: Document;
  /** The id of its project. */
  readonly project: string;
}

/** Who changes something, and in which project. */
export interface Asking extends Holder {
  /** Whether it may know which restrictions of the account there are. */
  readonly knowsRestrictions: boolean;
  /** Whether it may know what decides requests, which examples name. */
  readonly knowsExposure: boolean;
  /** Whether it may know what other projects guarantee. */
  readonly knowsGuarantees?: boolean;
  /**
   * Sets a guarantee aside that stands in the way of a restriction; absent where that is
   * not asked for.
   */
  readonly setAside?: (guarantee: SetAside) => void;
  /** Aborts when nobody waits for the answer any more. */
  readonly gone?: AbortSignal | undefined;
}

/** Refuses changes after which a guarantee would not hold. */
export interface Guard {
  /** The check of one request, which remembers its judgements. */
  begin(asking: Asking): Check;
  /** The kept states of guarantees by their ids, as answers tell them. */
  states(ids: readonly string[], gone: AbortSignal): Promise<ReadonlyMap<string, GuaranteeState>>;
  /** Whether guarantees hold in a world, in their order. */
  judge(holder: Holder, toJudge: StatesToJudge, gone: AbortSignal): Promise<readonly GuaranteeState[]>;
  /** Keeps the states of guarantees until it is closed. */
  start(logger: { error(details: unknown, message: string): void }): void;
  close(): Promise<void>;
}

export interface SearchRequest {
  /** Words, with spaces between them. */
  readonly text: string;
  readonly limit: number;
  /** Whether objects of shared projects are asked for too. */
  readonly shared: boolean;
}

/** Finds objects by their texts. */
export interface Finder {
  /**
   * Finds objects whose texts have all words, the best first. What the caller may not read in a list does not
   * exist here: it is neither found nor counted.
   */
  search(caller: Caller, request: SearchRequest): Promise<SearchResults>;
  close(): Promise<void>;
}

/** Ends a transaction whose changes have to be judged, so that it holds no lock meanwhile. */
export class NotEvaluated extends Error {
  constructor(readonly judge: () => Promise<void>) {
    super("The changes have to be judged first");
  }
}

/** How often changes are judged anew because others changed objects that they depend on. */
const MAX_JUDGED = 8;

/** The facts about a request that its changes need. */
export interface ChangeRequest {
  readonly caller: Caller;
  /** The request's id in the log. */
  readonly operationId: string;
  /** The client's address. */
  readonly client: string;
  /** Whether a proxy speaks for the client. Default: false. */
  readonly isForwarded?: boolean;
  /** Whether changes may keep their own caller out. Default: false. */
  readonly force?: boolean;
  /** A dry run: check everything, keep nothing. */
  readonly dryRun: boolean;
  /**
   * Called with the changes of a dry run, while they can still be read.
   *
   * @param more `names` of objects for people, by id: one name for an object and its replacement
   */
  readonly onDryRun?: (
    db: Kysely<Database>,
    changes: readonly ObjectChange[],
    more: { readonly names?: ReadonlyMap<string, string>; readonly setAside: readonly SetAside[] },
  ) => Promise<void>;
  /** For an idempotent request: a repetition gets the first answer. */
  readonly idempotency?: IdempotentRequest;
  /** Aborts when nobody waits for the answer any more: what is not begun then is not done. */
  readonly gone?: AbortSignal;
}

/** Rolls back the transaction of a dry run. */
class DryRun extends Error {
  constructor(readonly result: unknown) {
    super("This was a dry run");
  }
}

/** The changes that one request makes: objects, events, audit rows and the kept answer in one transaction. */
export class Transactions {
  readonly #check: Check;
  /** The guarantees that this request sets aside, by their ids. */
  readonly #setAside = new Map<string, SetAside>();

  constructor(
    private readonly context: ServerContext,
    private readonly request: ChangeRequest,
  ) {
    this.#check = context.guard.begin({
      ...holderOf(request.caller),
      knowsRestrictions: seesAllProjects(request.caller),
      knowsExposure: may(request.caller, "read", "exposure"),
      knowsGuarantees: isAccountAdmin(request.caller),
      gone: request.gone,
      ...(request.force === true &&
        isAccountAdmin(request.caller) && {
          setAside: (guarantee) => this.#setAside.set(guarantee.id, guarantee),
        }),
    });
  }

  get setAside(): readonly SetAside[] {
    return [...this.#setAside.values()];
  }

  get isDryRun(): boolean {
    return this.request.dryRun;
  }

  /** The first answer to an idempotent request that was sent again. */
  async answeredBefore<T>(): Promise<(T & { replayed: true }) | undefined> {
    return this.#answer(this.context.store.reader);
  }

  /**
   * @param work makes the changes and adds to its lists what they are; may run again from the start. Changes
   *   that only follow later, and are judged together with these, are in the last list.
   */
  async run<T>(
    work: (
      transaction: Transaction,
      changes: ObjectChange[],
      actions: AuditedAction[],
      asIf: ObjectChange[],
    ) => Promise<T>,
  ): Promise<T> {
    const { store, journal, keyring } = this.context;
    const { dryRun, idempotency, operationId, client } = this.request;
    const { ownerId, name, keyId } = this.request.caller;
    return this.#judged(async () => {
      try {
        return await store.write(
          async (transaction) => {
            const begunUnder = keyring.currentId;
            const answered = await this.#answer<T>(transaction);
            if (answered) return answered;
            const changes: ObjectChange[] = [];
            const actions: AuditedAction[] = [];
            const asIf: ObjectChange[] = [];
            const result = await work(transaction, changes, actions, asIf);
            await this.#allow(transaction, changes, asIf);
            if (dryRun) {
              await this.request.onDryRun?.(transaction, [...changes, ...asIf], { setAside: this.setAside });
              throw new DryRun(result);
            }
            await noteCertificatePolicies(transaction, changes);
            if (idempotency) await keepAnswer(transaction, keyring, idempotency, result);
            await journal.append(transaction, begunUnder, { ownerId, name, keyId, operationId, client }, [
              ...changes,
              ...actions,
              ...this.setAside.map(({ id: subject, project }) => ({
                action: "guarantee_set_aside",
                subject,
                project,
              })),
            ]);
            return result;
          },
          { optimistic: !dryRun },
        );
      } catch (error) {
        if (error instanceof DryRun) return error.result as T;
        // If its own repetition was faster, the request conflicts with the object of that one. Answer as that
        // one did.
        const answered = error instanceof RequestError && (await this.answeredBefore<T>());
        if (answered) return answered;
        throw error;
      }
    });
  }

  /** The check of a plan that is not carried out. */
  async check(changes: readonly ObjectChange[]): Promise<void> {
    await this.#judged(() => this.#allow(this.context.store.reader, changes));
  }

  async #allow(
    db: Kysely<Database>,
    changes: readonly ObjectChange[],
    asIf: readonly ObjectChange[] = [],
  ): Promise<void> {
    await refuseForbidden({ db, request: this.request, changes, names: this.context.names });
    await this.#check(db, [...changes, ...asIf]);
  }

  /**
   * Runs the work again if its changes had to be judged first, or if it sealed secrets under a key that was
   * replaced.
   */
  async #judged<T>(attempt: () => Promise<T>): Promise<T> {
    for (let judged = 0; ; ) {
      try {
        return await attempt();
      } catch (error) {
        if (error instanceof KeyRotated) continue;
        if (!(error instanceof NotEvaluated)) throw error;
        if (judged++ === MAX_JUDGED) throw busy();
        await error.judge();
      }
    }
  }

  async #answer<T>(db: Kysely<Database>): Promise<(T & { replayed: true }) | undefined> {
    const { dryRun, idempotency } = this.request;
    const answer = idempotency && !dryRun && (await answeredBefore<T>(db, this.context.keyring, idempotency));
    return answer ? { ...answer, replayed: true } : undefined;
  }
}

const busy = (): RequestError =>
  refusalForNow(
    "overloaded",
    `Others changed objects that guarantees depend on, ${MAX_JUDGED} times in a row; nothing was changed. Try again shortly`,
  );

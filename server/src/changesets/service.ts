import { definitionNamed, seesAll } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import { type Caller, holderOf, projectOf } from "../auth";
import type { Page, PageSize } from "../documents";
import type { Author } from "../journal";
import {
  type ChangeRequest,
  type Precondition,
  partAnswer,
  type ServerContext,
  Transactions,
} from "../resources";
import type { Database } from "../storage";
import { Budget, newId, RequestError, refusalForNow, yieldToEventLoop } from "../util";
import { isSeenBy } from "../view";
import { carryOut, PlanOutdated, type TargetSet } from "./apply";
import { digestOf } from "./digest";
import { findSet, lockSet, membersOf } from "./facts";
import type { ObjectOperation } from "./operations";
import { planOf, refuseDeletions } from "./plan";
import type { ChangeSetRequest } from "./request";
import { deleteSet, setPage } from "./sets";

/** How often a plan is made anew because others changed objects that it depends on. */
const ATTEMPTS = 8;

/** Change sets that are worked on at once: each holds megabytes. */
const AT_ONCE = 2;
/** Change sets of one owner that may wait for their turn. */
const MAX_WAITING = 8;
const MAX_WAIT_MS = 5_000;

/** The turns of change sets on one server. */
export const newChangeSetBudget = (): Budget =>
  new Budget({ work: "change sets", size: AT_ONCE, maxWaiting: MAX_WAITING, maxWaitMs: MAX_WAIT_MS });

/** The answer to an apply. */
export interface Applied {
  readonly set: string;
  readonly operations: readonly ObjectOperation[];
  readonly digest: string;
  /** Whether this is the kept first answer to an idempotent request. */
  readonly replayed?: boolean;
}

/** Applies, lists, reads and releases change sets, as one caller may. */
export class ChangeSets {
  readonly #caller: Caller;
  readonly #transactions: Transactions;

  constructor(
    private readonly context: ServerContext,
    private readonly request: ChangeRequest,
  ) {
    this.#caller = request.caller;
    this.#transactions = new Transactions(context, request);
  }

  /** Gives a set the state that a request declares: all of it, or nothing. */
  async apply(wanted: () => Promise<ChangeSetRequest>): Promise<Applied> {
    const answered = this.#transactions.isDryRun
      ? undefined
      : await this.#transactions.answeredBefore<Applied>();
    if (answered) return answered;
    const { gone } = this.request;
    const job = async (): Promise<Applied> => {
      const request = await wanted();
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.#applyOnce(attempt === 1 ? request : await wanted());
        } catch (error) {
          if (!(error instanceof PlanOutdated)) throw error;
          if (attempt === ATTEMPTS) throw busy();
        }
      }
    };
    return this.context.changeSets.run(holderOf(this.#caller), job, { gone });
  }

  async #applyOnce(request: ChangeSetRequest): Promise<Applied> {
    const { store, keyring, journal } = this.context;
    const { set: name, faults } = request;
    const sealedUnder = keyring.currentId;
    const target = await this.#targetOf(name);
    const isNew = target.version === 0;
    const plan = await planOf(
      {
        context: this.context,
        caller: this.#caller,
        reader: store.reader,
        dryRun: this.#transactions.isDryRun,
        gone: this.request.gone,
      },
      request,
      isNew ? undefined : target.id,
    );
    const digest = await digestOf(request, target.version, plan.facts, plan.operations);
    // A plan with faults has no digest. So a request with a digest and faults is not the one that was
    // planned.
    if (request.expect !== undefined && (request.expect !== digest || faults.count > 0)) throw stale();
    refuseDeletions(plan, request);
    // The conflict may be with this set's own objects, which a request that came first made meanwhile.
    if (faults.count > 0 && (await this.#targetOf(name)).version !== target.version) throw new PlanOutdated();
    faults.refuse();
    if (this.#transactions.isDryRun) {
      await this.#transactions.check(plan.changes);
      const { setAside } = this.#transactions;
      await this.request.onDryRun?.(store.reader, plan.changes, { names: plan.names, setAside });
      return { set: name, operations: plan.operations, digest };
    }
    const author = authorOf(this.request);
    for (const change of plan.changes) {
      journal.prepare(change, author);
      await yieldToEventLoop();
    }
    return this.#transactions.run(async (transaction, changes) => {
      if (keyring.currentId !== sealedUnder) throw new PlanOutdated();
      for (const change of plan.changes) changes.push(change);
      await carryOut(transaction, target, plan, {
        faults,
        documents: this.context.documents,
        changes,
      });
      return { set: name, operations: plan.results, digest };
    });
  }

  /** @throws RequestError if the set belongs to another */
  async #targetOf(name: string): Promise<TargetSet> {
    const project_id = projectOf(this.#caller);
    const [row] = await findSet(this.context.store.reader, { project_id, name });
    if (!row) return { id: newId("cset"), project_id, name, owner_id: this.#caller.ownerId, version: 0 };
    if (!this.#mayUse(row))
      throw new RequestError(
        "forbidden",
        `The change set ${name} belongs to another; only its owner or an admin may change it. Choose another name`,
        { field: "set" },
      );
    return row;
  }

  #mayUse = ({ owner_id }: Pick<Database["changeset"], "owner_id">): boolean =>
    seesAll(this.#caller.role) || owner_id === this.#caller.ownerId;

  list(page: PageSize & { before?: string }): Promise<Page> {
    const owner = seesAll(this.#caller.role) ? undefined : this.#caller.ownerId;
    return setPage(this.context, { project: projectOf(this.#caller), owner }, page);
  }

  async get(name: string): Promise<{ json: string; etag: string }> {
    const { reader } = this.context.store;
    return partAnswer(await this.#whole(reader, await this.#found(findSet, reader, name)));
  }

  /** Forgets a set and leaves its objects. */
  async release(name: string, precondition: Precondition): Promise<void> {
    await this.#transactions.run(async (transaction) => {
      const set = await this.#found(lockSet, transaction, name);
      precondition(partAnswer(await this.#whole(transaction, set)).etag);
      await deleteSet(transaction, { id: set.id });
    });
  }

  async #found(find: typeof findSet, db: Kysely<Database>, name: string): Promise<Database["changeset"]> {
    const [row] = await find(db, { project_id: projectOf(this.#caller), name });
    if (row && this.#mayUse(row)) return row;
    throw new RequestError(
      "not_found",
      `There is no change set ${JSON.stringify(name.slice(0, 255))}; it may have been released`,
    );
  }

  async #whole(db: Kysely<Database>, { id, name, owner_id, created_at }: Database["changeset"]) {
    const members = await membersOf(db, { set: id });
    const shown = members.filter((member) => isSeenBy(this.#caller, definitionNamed(member.kind), member));
    const objects = shown.map(({ kind, key, resource_id }) => ({ kind, key, id: resource_id }));
    return {
      set: name,
      uri: this.context.documents.placed(`/changesets/${name}`),
      created_at,
      owner_id,
      objects,
    };
  }
}

const authorOf = ({ caller: { ownerId, name, keyId }, operationId, client }: ChangeRequest): Author => ({
  ownerId,
  name,
  keyId,
  operationId,
  client,
});

const stale = (): RequestError =>
  new RequestError(
    "precondition_failed",
    "`expect` is not the digest of this plan: the request differs, or something has changed since. Nothing was changed. Plan again, and look at the differences",
    { field: "expect" },
  );

const busy = (): RequestError =>
  refusalForNow(
    "overloaded",
    `Others changed objects that this change set depends on, ${ATTEMPTS} times in a row; nothing was changed. Try again shortly`,
  );

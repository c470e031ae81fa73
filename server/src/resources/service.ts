import { answeredName, type Definition, definitionNamed, present, waits } from "@tunnelplane/sdk/contract";
import {
  type Caller,
  holderOf,
  isElsewhere,
  isLent,
  projectOfNew,
  readerOf,
  refuseForeignOwner,
  seesOwnAlone,
  shownIn,
} from "../auth";
import { type Answer, asOfNow, documentsOfPage, type Page, type PageSize } from "../documents";
import { type ObjectChange, storedAsOf } from "../journal";
import { pipelined, type Transaction } from "../storage";
import { inSlices, largeReadsOf, newId, queryError, quoted, RequestError, yieldToEventLoop } from "../util";
import { close, noLongerLacked, toClose } from "./closing";
import { hasBehaviour, prepareCreation, withOwner } from "./creation/prepare";
import { endRows, insertEnds } from "./endTimes";
import { type Filters, matches, mayMatch } from "./filters";
import {
  aheadOf,
  handOver,
  parentsIn,
  refuseFromReplaced,
  refuseSecond,
  replacementOf,
  waitingFor,
} from "./handover";
import { closedWithout } from "./lacked";
import { documentsIn, idIn, idOfVersion, pageOf, type StoredPage } from "./pages";
import { lockParents, touchParent } from "./parents";
import { placedIn, placesOf } from "./placed";
import { isListedByDefault, withDefaultProject } from "./projects";
import { forgetReferences, insertUniqueKeys, keysOf, recordReferences } from "./references";
import {
  childrenOf,
  deleteResources,
  insertResources,
  insertSealedSecrets,
  insertSecretHashes,
} from "./rows";
import { checkReferrers, Existing, lockNesting, type PendingWrite, refusing } from "./rules";
import { etagFor, jsonFor } from "./shown";
import { type Created, type ObjectPath, type Precondition, pendingWriteOf, StoredObjects } from "./stored";
import { takeOver } from "./takeover";
import { type ChangeRequest, type ServerContext, Transactions } from "./transaction";

/** The objects of a list that a page shows. */
interface PageRequest extends PageSize {
  /** Only objects older than this id. */
  readonly before?: string;
  /** Only objects of this user or bot. */
  readonly owner?: string;
  /** Whether objects of shared projects are asked for too. */
  readonly shared?: boolean;
}

interface ListRequest extends PageRequest {
  readonly filters?: Filters;
}

interface CreateRequest {
  /** The object's name in the program. */
  readonly name?: string | undefined;
  /** The id of the object that the new one replaces. */
  readonly replaces?: string | undefined;
  /** The parts that follow, and without which it serves nothing. Default: none. */
  readonly lacking?: readonly string[] | undefined;
}

interface UpdateRequest {
  /** Default: none. */
  readonly precondition?: Precondition;
  /** The object's name in the program: "" for none, undefined to leave it as it is. */
  readonly name?: string | undefined;
  /** The fields of modules, and of other parts, that are removed. Default: none. */
  readonly removed?: readonly string[];
  /** The parts without which it serves nothing, beside those of before; an empty list for none. */
  readonly lacking?: readonly string[] | undefined;
  /** The parts that the object gets next: what is removed stays until then. Default: it goes at once. */
  readonly removedAfter?: readonly string[] | undefined;
}

interface RemovalRequest {
  /** Whether what was created to replace the object is deleted too. Default: false. */
  readonly withReplacement?: boolean;
  /** The id of the object to close, because it will be deleted next. */
  readonly closes?: string | undefined;
}

/**
 * A filtered page reads this many objects at most, so it may have fewer than its limit; the next page goes on
 * there.
 */
const MAX_EXAMINED = 5000;
const LOOKED_AT_ONCE = 100;

function refuseSent(definition: Definition, field: string, sent: Readonly<Record<string, unknown>>): void {
  const name = answeredName(definition, field);
  if (sent[field] !== undefined)
    throw queryError(
      "remove",
      `remove names ${name}, and the body sends \`${field}\`; leave one of them out`,
    );
}

/** Creates, reads, lists, updates and deletes whole objects of any type. */
export class ResourceService {
  readonly #store: ServerContext["store"];
  readonly #documents: ServerContext["documents"];
  readonly #caller: Caller;
  readonly #objects: StoredObjects;
  readonly #transactions: Transactions;

  constructor(
    private readonly context: ServerContext,
    request: ChangeRequest,
  ) {
    this.#store = context.store;
    this.#documents = context.documents;
    this.#caller = request.caller;
    this.#objects = new StoredObjects(context, request);
    this.#transactions = new Transactions(context, request);
  }

  async create(
    definition: Definition,
    given: unknown,
    { name, replaces, lacking = [] }: CreateRequest = {},
  ): Promise<Created> {
    const caller = this.#caller;
    const answered = await this.#transactions.answeredBefore<Created>();
    if (answered) return answered;
    const body = await this.#objects.validate({ kind: definition.kind, what: "create" }, given);
    const { value } = body;
    const { reader } = this.#store;
    await refuseForeignOwner(reader, value.owner_id, caller); // first: whether a bot exists is none of a member's business
    // The transaction checks the references again; this check lets the behaviour rely on them.
    const id = newId(definition.idPrefix);
    const project = projectOfNew(definition, value, caller);
    if (hasBehaviour(definition))
      await this.#objects.checkReferences(
        reader,
        pendingWriteOf(definition, { id, project, sent: withOwner(definition, value, caller) }),
      );
    const { isDryRun: dryRun } = this.#transactions;
    const computed = waits(definition)
      ? {
          ...waitingFor(this.#documents, definition, value, replaces),
          ...closedWithout(
            definition,
            lacking.filter((part) => value[part] === undefined),
          ),
          leaving: null,
        }
      : {};
    const order = { definition, id, now: new Date(), body, name, dryRun, computed };
    const prepared = await prepareCreation(this.context, caller, order);
    const { sent, claiming, after, ownerId, oneTime } = prepared;
    return this.#transactions.run(async (transaction, changes, _actions, asIf) => {
      await this.#objects.loadParents(transaction, definition, sent, "change");
      await lockParents(transaction, definition, sent);
      const write = pendingWriteOf(definition, { id, project, sent: claiming });
      await this.#objects.checkReferences(transaction, write);
      const old = replaces === undefined ? undefined : await this.#replaced(transaction, write, replaces);
      const keys = keysOf(id, definition, claiming);
      const own = old ? await handOver(transaction, definition, { old_id: old.id, new_id: id }, keys) : keys;
      await this.#objects.checkClaims(transaction, write, old ? await aheadOf(transaction, id) : []);
      if (old && !waits(definition)) asIf.push({ ...old, change: "deleted" });
      const { json, rows } = prepared.print();
      await pipelined([
        insertResources(transaction, [rows.resource]),
        recordReferences(transaction, write),
        insertUniqueKeys(transaction, own),
        insertSecretHashes(transaction, rows.secretHashes),
        insertSealedSecrets(transaction, rows.sealedSecrets),
        insertEnds(transaction, endRows(id, definition, sent)),
      ]);
      await touchParent(transaction, definition, sent, true);
      const storedAs = { ownerId, version: 1, project };
      changes.push({ change: "created", definition, id, storedAs, after, json, name: rows.resource.name });
      // The old one serves until it is deleted, and lacks what it lacks.
      if (replaces === undefined)
        await noLongerLacked(this.context, transaction, changes, definition, sent, Object.keys(sent));
      return {
        id,
        etag: etagFor(caller, definition, 1, json),
        json: oneTime ? JSON.stringify({ ...after, ...oneTime }) : jsonFor(caller, definition, json),
      };
    });
  }

  /** The object that a new one replaces, locked. What the caller may not change does not exist here. */
  async #replaced(
    transaction: Transaction,
    { definition, project, sent }: PendingWrite,
    id: string,
  ): Promise<Omit<ObjectChange, "change"> & { readonly id: string }> {
    const stored = await this.#objects
      .loadToChange(transaction, definition, { ...parentsIn(definition, sent), id })
      .catch((error: unknown) => {
        if (error instanceof RequestError) return undefined;
        throw error;
      });
    if (!stored || stored.project !== project)
      throw queryError("replaces", `replaces names ${quoted(id)}: there is no such ${definition.title} here`);
    await refuseSecond(transaction, definition, id);
    const { ownerId, version, before, name } = stored;
    return { definition, id, storedAs: { ownerId, version, project }, before, name };
  }

  async get(definition: Definition, at: ObjectPath): Promise<Answer> {
    const stored = await this.#objects.load(this.#store.reader, definition, at);
    const { document, version, project } = stored;
    return {
      json: this.#caller.project === undefined ? placedIn(document, project) : document,
      etag: etagFor(readerOf({ project_id: project }, this.#caller), definition, version, document),
    };
  }

  /** @param parents the ids in the collection's path, by field */
  async list(definition: Definition, parents: ObjectPath, { filters, ...page }: ListRequest): Promise<Page> {
    await this.#objects.loadParents(this.#store.reader, definition, parents);
    return filters
      ? this.#filtered(definition, parents, page, filters)
      : this.#page(definition, parents, page);
  }

  async #page(definition: Definition, parents: ObjectPath, request: PageRequest): Promise<Page> {
    const owner = seesOwnAlone(definition, this.#caller) ? this.#caller.ownerId : request.owner;
    const { reader } = this.#store;
    const shown = shownIn(definition, this.#caller, request.shared);
    const readLarge = largeReadsOf(this.context.largeReads, holderOf(this.#caller));
    const page = await pageOf(reader, definition, { ...request, owner, ...shown, parents, readLarge });
    const places = await placesOf(reader, this.#caller, page.versions);
    const readers = shown.alsoShared?.length ? await this.#readersOf(page) : undefined;
    const areAnswers = !readers && places.size === 0 && this.#documents.areAnswers(page.versions);
    const documents = areAnswers
      ? [page.documents]
      : await inSlices(documentsIn(page), async (document, index) => {
          const version = present(page.versions[index]);
          const json = await this.#documents.read(reader, definition, document, version);
          const as = readers?.get(idOfVersion(version)) ?? this.#caller;
          return placedIn(jsonFor(as, definition, json), places.get(idOfVersion(version)));
        });
    const found = { documents, nextBefore: page.nextBefore };
    return isListedByDefault(definition, shown) && owner === undefined
      ? withDefaultProject(reader, this.#documents, found, request)
      : found;
  }

  /** As whom the caller reads each object of a page, by its id. */
  async #readersOf({ versions }: StoredPage): Promise<ReadonlyMap<string, Pick<Caller, "role">>> {
    const ids = versions.map(idOfVersion);
    const rows = new Map((await new Existing(this.#store.reader).rowsOf(ids)).map((row) => [row.id, row]));
    const readerOfId = (id: string): Pick<Caller, "role"> => {
      const row = rows.get(id);
      return row ? readerOf(row, this.#caller) : { role: "viewer" }; // it was deleted just now
    };
    return new Map(ids.map((id) => [id, readerOfId(id)]));
  }

  /**
   * A hostport leads to its one edge. For other filters objects are read in order, and at most {@link
   * MAX_EXAMINED} of them.
   */
  async #filtered(
    definition: Definition,
    parents: ObjectPath,
    page: PageRequest,
    filters: Filters,
  ): Promise<Page> {
    const { reader } = this.#store;
    if (filters.hostport !== undefined) {
      const [edge] = await new Existing(reader).holdersOf([
        { scope: "hostport", key: filters.hostport.toLowerCase() },
      ]);
      const isThere =
        edge &&
        (!isElsewhere(edge, this.#caller) || (page.shared && isLent(definition, edge, this.#caller))) &&
        edge.kind === definition.kind &&
        (page.before === undefined || edge.id < page.before);
      const found = isThere ? await this.get(definition, { ...parents, id: edge.id }) : undefined;
      return { documents: found && matches(found.json, filters) ? [found.json] : [], nextBefore: null };
    }
    const documents: string[] = [];
    let [bytes, before] = [page.bytes, page.before];
    for (let looked = 0; looked < MAX_EXAMINED; looked += LOOKED_AT_ONCE) {
      const batch = await this.#page(definition, parents, {
        limit: LOOKED_AT_ONCE,
        bytes: page.bytes,
        before,
        owner: filters.owner_id,
        shared: page.shared,
      });
      for (const json of documentsOfPage(batch)) {
        await yieldToEventLoop();
        if (!mayMatch(json, filters) || !matches(json, filters)) continue;
        if (documents.length === page.limit || (bytes < Buffer.byteLength(json) && documents.length > 0))
          return { documents, nextBefore: idIn(present(documents.at(-1))) };
        documents.push(json);
        bytes -= Buffer.byteLength(json);
      }
      if (batch.nextBefore === null) return { documents, nextBefore: null };
      before = batch.nextBefore;
    }
    return { documents, nextBefore: before ?? null };
  }

  async update(
    definition: Definition,
    at: ObjectPath,
    body: unknown,
    { precondition = () => undefined, name, removed = [], lacking, removedAfter: after }: UpdateRequest = {},
  ): Promise<Answer> {
    const { value: sent } = await this.#objects.validate({ kind: definition.kind, what: "update" }, body);
    for (const field of removed) refuseSent(definition, field, sent);
    const gone = after === undefined ? removed : [];
    const value = { ...sent, ...Object.fromEntries(gone.map((field) => [field, undefined])) };
    const leaving = after && { modules: removed, after };
    return this.#transactions.run(async (transaction, changes) => {
      await lockNesting(transaction, definition, value);
      const stored = await this.#objects.loadToChange(transaction, definition, at);
      precondition(etagFor(this.#caller, definition, stored.version, stored.document));
      const saved = await this.#objects.save(transaction, changes, definition, stored, value, {
        name,
        lacking,
        leaving,
      });
      const named = Object.keys(value);
      await noLongerLacked(this.context, transaction, changes, definition, saved.after, named);
      const json = asOfNow(definition, saved.json);
      return {
        json: jsonFor(this.#caller, definition, json),
        etag: etagFor(this.#caller, definition, saved.version, json),
      };
    });
  }

  async remove(
    definition: Definition,
    at: ObjectPath,
    precondition: Precondition,
    { withReplacement = false, closes }: RemovalRequest = {},
  ): Promise<void> {
    const whole = toClose(definition, at, false, closes);
    return this.#transactions.run(async (transaction, changes) => {
      const stored = await this.#objects.loadToChange(transaction, definition, at);
      precondition(etagFor(this.#caller, definition, stored.version, stored.document));
      await refuseFromReplaced(transaction, definition, at, false);
      const deleted = [stored];
      for (let last = stored.id; withReplacement; ) {
        const after = await replacementOf(transaction, last);
        if (after === undefined) break;
        deleted.push(await this.#objects.loadToChange(transaction, definition, { ...at, id: after }));
        last = after;
      }
      const brief = deleted.map(({ id }) => ({ id, name: id, words: "" }));
      await checkReferrers(new Existing(transaction), [], brief, refusing);
      for (const { id, ownerId, version, project, before, name } of deleted) {
        const storedAs = { ownerId, version, project };
        const children = await this.#childrenToDelete(transaction, id);
        changes.push(...children, { change: "deleted", definition, id, storedAs, before, name });
      }
      const ids = changes.map((one) => one.id);
      await forgetReferences(transaction, ids);
      await deleteResources(transaction, ids);
      await takeOver(this.context, transaction, changes, ids);
      await touchParent(transaction, definition, stored.before, false);
      if (whole)
        await close(this.context, transaction, changes, whole, { definition, document: stored.before });
      else await noLongerLacked(this.context, transaction, changes, definition, stored.before, "all");
    });
  }

  /** The changes for the children that are deleted together with their parent. */
  async #childrenToDelete(transaction: Transaction, parent: string): Promise<ObjectChange[]> {
    const rows = await childrenOf(transaction, { id: parent });
    return Promise.all(
      rows.map(async ({ id, kind, document, ...row }): Promise<ObjectChange> => {
        const definition = definitionNamed(kind);
        const before = JSON.parse(
          await this.#documents.read(transaction, definition, document, `${id} ${row.version}`),
        );
        return { change: "deleted", definition, id, storedAs: storedAsOf(row), before, name: row.name };
      }),
    );
  }
}

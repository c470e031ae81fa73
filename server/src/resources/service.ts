import { type Definition, definitionNamed, present } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import { type Caller, refuseForeignOwner } from "../auth";
import type { Answer, Page, PageSize } from "../documents";
import type { ObjectChange } from "../journal";
import { type Database, pipelined } from "../storage";
import { inSlices, newId, RequestError } from "../util";
import { takeTurnToNest } from "./circles";
import { hasBehaviour, prepareCreation, withOwner } from "./creation/prepare";
import { documentsIn, pageOf } from "./pages";
import { lockParents, touchParent } from "./parents";
import {
  childrenOf,
  forgetReferences,
  recordReferences,
  refuseMissing,
  replaceUniqueKeys,
  resolveReferences,
  rightReferences,
  usersOf,
} from "./references";
import { deleteResource, insertResource, insertSealedSecret, insertToldSecret } from "./rows";
import { type Created, etagOf, type Place, type Precondition, refuseMembers, StoredObjects } from "./stored";
import { type ChangeRequest, type Context, Transactions } from "./transaction";

/** Creates, reads, lists, updates and deletes whole objects of any type. */
export class ResourceService {
  readonly #store: Context["store"];
  readonly #documents: Context["documents"];
  readonly #caller: Caller;
  readonly #objects: StoredObjects;
  readonly #transactions: Transactions;

  constructor(
    private readonly context: Context,
    request: ChangeRequest,
  ) {
    this.#store = context.store;
    this.#documents = context.documents;
    this.#caller = request.caller;
    this.#objects = new StoredObjects(context, request.caller);
    this.#transactions = new Transactions(context, request);
  }

  async create(definition: Definition, given: unknown): Promise<Created> {
    const caller = this.#caller;
    refuseMembers(definition, caller);
    const answered = await this.#transactions.answeredBefore<Created>();
    if (answered) return answered;
    const body = await this.#objects.validate({ kind: definition.kind, what: "create" }, given);
    const { value } = body;
    const { reader } = this.#store;
    await refuseForeignOwner(reader, value.owner_id, caller); // first: whether a bot exists is none of a member's business
    // The transaction checks the references again; this check lets the behaviour rely on them.
    if (hasBehaviour(definition)) await resolveReferences(reader, definition, withOwner(definition, value, caller));
    const id = newId(definition.idPrefix);
    const prepared = await prepareCreation(this.context, caller, { definition, id, now: new Date(), body });
    const { sent, after, ownerId, oneTime } = prepared;
    return this.#transactions.run(async (transaction, changes) => {
      await this.#objects.loadParents(transaction, definition, sent);
      await lockParents(transaction, definition, sent);
      const references = rightReferences(definition, sent);
      const { json, rows } = prepared.print();
      const { resource, toldSecret, sealedSecret } = rows;
      await pipelined([
        refuseMissing(transaction, references),
        insertResource(transaction, resource),
        recordReferences(transaction, id, references),
        replaceUniqueKeys(transaction, { definition, id, before: undefined, sent }, caller),
        toldSecret && insertToldSecret(transaction, toldSecret),
        sealedSecret && insertSealedSecret(transaction, sealedSecret),
      ]);
      await touchParent(transaction, definition, sent, true);
      changes.push({ change: "created", definition, id, storedAs: { ownerId, version: 1 }, after, json });
      // A dry run keeps no one-time secret, so its answer shows none.
      return { id, etag: etagOf(1), json: oneTime && !this.#transactions.isDryRun ? JSON.stringify({ ...after, ...oneTime }) : json };
    });
  }

  async get(definition: Definition, at: Place): Promise<Answer> {
    const { document, version } = await this.#objects.load(this.#store.reader, definition, at);
    return { json: document, etag: etagOf(version) };
  }

  /** @param parents the ids in the collection's path, by field */
  async list(definition: Definition, parents: Place, { before, ...size }: PageSize & { before?: string }): Promise<Page> {
    refuseMembers(definition, this.#caller);
    const owner = definition.access === "owner" && !this.#caller.admin ? this.#caller.ownerId : undefined;
    const { reader } = this.#store;
    await this.#objects.loadParents(reader, definition, parents);
    const page = await pageOf(reader, definition, { ...size, before, owner, parents });
    const documents = this.#documents.areAsRead(definition, page.documents, page.versions)
      ? [page.documents]
      : await inSlices(documentsIn(page), (document, index) =>
          this.#documents.read(reader, definition, document, present(page.versions[index])),
        );
    return { documents, nextBefore: page.nextBefore };
  }

  async update(definition: Definition, at: Place, body: unknown, precondition: Precondition): Promise<Answer> {
    const { value } = await this.#objects.validate({ kind: definition.kind, what: "update" }, body);
    return this.#transactions.run(async (transaction, changes) => {
      await takeTurnToNest(transaction, definition, value);
      const stored = await this.#objects.loadToChange(transaction, definition, at);
      precondition(etagOf(stored.version));
      const { json, version } = await this.#objects.save(transaction, changes, definition, stored, value);
      return { json, etag: etagOf(version) };
    });
  }

  async remove(definition: Definition, at: Place, precondition: Precondition): Promise<void> {
    return this.#transactions.run(async (transaction, changes) => {
      const { id, ownerId, version, before } = await this.#objects.loadToChange(transaction, definition, at);
      precondition(etagOf(version));
      const users = await usersOf(transaction, id);
      if (users.length > 0) {
        throw new RequestError("in_use", `${id} is still in use by ${users.join(", ")}; remove it there first`);
      }
      changes.push(...(await this.#childrenToDelete(transaction, id)), {
        change: "deleted",
        definition,
        id,
        storedAs: { ownerId, version },
        before,
      });
      const ids = changes.map((one) => one.id);
      await forgetReferences(transaction, ids);
      await pipelined(ids.map((each) => deleteResource(transaction, { id: each })));
      await touchParent(transaction, definition, before, false);
    });
  }

  /** The changes for the children that are deleted together with their parent. */
  async #childrenToDelete(transaction: Kysely<Database>, parent: string): Promise<ObjectChange[]> {
    const rows = await childrenOf(transaction, { id: parent });
    return Promise.all(
      rows.map(async ({ id, kind, owner_id, version, document }): Promise<ObjectChange> => {
        const definition = definitionNamed(kind);
        const before = JSON.parse(await this.#documents.read(transaction, definition, document, `${id} ${version}`));
        return { change: "deleted", definition, id, storedAs: { ownerId: owner_id, version }, before };
      }),
    );
  }
}

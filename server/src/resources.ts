import { hash } from "node:crypto";
import {
  bare,
  checkRules,
  type Definition,
  definitionOf,
  holdsSecrets,
  marksOf,
  pathFieldsOf,
  validateCreate,
  validateModule,
  validateUpdate,
  withArticle,
} from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import { type Caller, refuseForeignOwner } from "./accounts";
import { ApiError, BodyError, refuseFaults } from "./apiError";
import { type Addition, behaviours, type Creation } from "./behaviours";
import { type ChangeContext, Changes, type Core } from "./changes";
import type { Document } from "./documents";
import { newId } from "./ids";
import type { ObjectChange } from "./journal/event";
import { documentsIn, pageOf } from "./pages";
import { lockParents, parentOf, refreshParent } from "./parents";
import { childrenOf, forgetReferences, recordReferences, replaceUniqueKeys, resolveChanges, resolveReferences, usersOf } from "./relations";
import { deleteResource, findById, insertResource, lockById, updateDocument } from "./resourceTable";
import type { Database } from "./storage/schema";
import { together } from "./storage/statement";

/** JSON to answer, and the strong ETag of what it shows. */
export interface Answer {
  readonly json: string;
  readonly etag: string;
}

/** What a creation answers. */
export interface Created extends Answer {
  readonly id: string;
  /** Whether it is the answer of an earlier request with the same Idempotency-Key. */
  readonly replayed?: boolean;
}

export interface Page {
  /** Newest first; each the JSON of one, or of several with commas between. */
  readonly documents: readonly string[];
  /** The id to ask for what is older, or null at the end. */
  readonly nextBefore: string | null;
}

/** Tells whether a change may go on, given the ETag of what it would change, if there is anything. */
export type Precondition = (etag: string | undefined) => void;

/** What the API does with objects of any kind. Each change is one transaction: all of it or nothing. */
export class Resources {
  private readonly store: Core["store"];
  private readonly documents: Core["documents"];
  private readonly caller: Caller;
  private readonly changes: Changes;

  constructor(
    private readonly core: Core,
    context: ChangeContext,
  ) {
    this.store = core.store;
    this.documents = core.documents;
    this.caller = context.caller;
    this.changes = new Changes(core, context);
  }

  async create(definition: Definition, body: unknown): Promise<Created> {
    const { caller } = this;
    refuseMembers(definition, caller);
    const answered = await this.changes.answeredBefore<Created>();
    if (answered) return answered;
    const { value, problems } = validateCreate(definition, body);
    refuseFaults(problems);
    const asked = "owner_id" in definition.fields ? { ...value, owner_id: value.owner_id ?? caller.ownerId } : value;
    await refuseForeignOwner(this.store.reader, asked.owner_id, caller); // first: whether a bot exists is none of a member's business
    const id = newId(definition.idPrefix);
    const now = new Date();
    const {
      sent = asked,
      computed,
      told,
      keep,
    } = await this.#addition({ definition, id, now, sent: asked, reader: this.store.reader, keyring: this.core.keyring });
    return this.changes.make(async (transaction, happened) => {
      await this.#loadParents(transaction, definition, sent);
      await lockParents(transaction, definition, sent);
      const references = await resolveReferences(transaction, definition, sent);
      const after = this.documents.compose(definition, id, now.toISOString(), sent, computed);
      const ownerId = (sent.owner_id as string | undefined) ?? caller.ownerId;
      const { json, stored } = this.documents.print(definition, after);
      await together([
        insertResource(transaction, { id, kind: definition.kind, owner_id: ownerId, version: 1, document: stored }),
        recordReferences(transaction, id, references),
        replaceUniqueKeys(transaction, { definition, id, before: undefined, sent }),
      ]);
      await refreshParent(transaction, definition, sent);
      await keep?.(transaction);
      happened.push({ change: "created", definition, id, after });
      // What a rehearsal made up is of no use to anybody.
      return { id, etag: etagOf(1), json: told && !this.changes.isRehearsal ? JSON.stringify({ ...after, ...told }) : json };
    });
  }

  async #addition(creation: Creation): Promise<Addition> {
    const behaviour = behaviours[creation.definition.kind];
    if (!behaviour) return {};
    // The transaction refuses bad references for good; here a behaviour must be able to rely on them.
    await resolveReferences(creation.reader, creation.definition, creation.sent);
    return behaviour(creation);
  }

  async get(definition: Definition, at: Place): Promise<Answer> {
    const { document, version } = await this.#load(this.store.reader, definition, at);
    return { json: document, etag: etagOf(version) };
  }

  /** @param parents the ids that the collection's path names, by field */
  async list(definition: Definition, parents: Place, { limit, before }: { limit: number; before?: string }): Promise<Page> {
    refuseMembers(definition, this.caller);
    const owner = definition.access === "owner" && !this.caller.admin ? this.caller.ownerId : undefined;
    const { reader } = this.store;
    await this.#loadParents(reader, definition, parents);
    const page = await pageOf(reader, definition, { limit, before, owner, parents });
    const documents = holdsSecrets(definition)
      ? await Promise.all(documentsIn(page).map((document) => this.documents.open(reader, definition, document)))
      : [page.documents];
    return { documents, nextBefore: page.nextBefore };
  }

  async update(definition: Definition, at: Place, body: unknown, precondition: Precondition): Promise<Answer> {
    const { value, problems } = validateUpdate(definition, body);
    refuseFaults(problems);
    return this.changes.make(async (transaction, happened) => {
      const stored = await this.#loadToChange(transaction, definition, at);
      precondition(etagOf(stored.version));
      const { json, version } = await this.#save(transaction, happened, definition, stored, value);
      return { json, etag: etagOf(version) };
    });
  }

  async remove(definition: Definition, at: Place, precondition: Precondition): Promise<void> {
    return this.changes.make(async (transaction, happened) => {
      const { id, version, before } = await this.#loadToChange(transaction, definition, at);
      precondition(etagOf(version));
      const users = await usersOf(transaction, id);
      if (users.length > 0) {
        throw new ApiError("in_use", `${id} is still in use by ${users.join(", ")}; remove it there first`);
      }
      happened.push(...(await this.#childrenToDelete(transaction, id)), { change: "deleted", definition, id, before });
      const ids = happened.map((one) => one.id);
      await forgetReferences(transaction, ids);
      await together(ids.map((each) => deleteResource(transaction, { id: each })));
      await refreshParent(transaction, definition, before);
    });
  }

  /** What is told of the objects that are deleted along with another. */
  async #childrenToDelete(transaction: Kysely<Database>, parent: string): Promise<ObjectChange[]> {
    const rows = await childrenOf(transaction, { id: parent });
    return Promise.all(
      rows.map(async ({ id, kind, document }): Promise<ObjectChange> => {
        const definition = definitionOf(kind);
        return { change: "deleted", definition, id, before: JSON.parse(await this.documents.open(transaction, definition, document)) };
      }),
    );
  }

  async getModule(definition: Definition, at: Place, name: string): Promise<Answer> {
    const { document } = await this.#load(this.store.reader, definition, at);
    const module = (JSON.parse(document) as Document)[name];
    if (module === null) throw noModule(definition, at.id, name);
    return partAnswer(module);
  }

  async replaceModule(definition: Definition, at: Place, name: string, body: unknown, precondition: Precondition): Promise<Answer> {
    const { value, problems } = validateModule(definition.fields[name] as never, body);
    refuseFaults(problems);
    return this.changes.make(async (transaction, happened) => {
      const stored = await this.#loadToChange(transaction, definition, at);
      preconditionOnModule(precondition, stored.before[name]);
      const saved = await this.#save(transaction, happened, definition, stored, { [name]: value }).catch((error: unknown) => {
        throw error instanceof BodyError ? error.within(name) : error;
      });
      return partAnswer(saved.after[name]);
    });
  }

  async removeModule(definition: Definition, at: Place, name: string, precondition: Precondition): Promise<void> {
    return this.changes.make(async (transaction, happened) => {
      const stored = await this.#loadToChange(transaction, definition, at);
      preconditionOnModule(precondition, stored.before[name]);
      if (stored.before[name] === null) return;
      await this.#save(transaction, happened, definition, stored, { [name]: undefined });
    });
  }

  async listEntries(definition: Definition, at: Place, name: string): Promise<Page> {
    const { document } = await this.#load(this.store.reader, definition, at);
    return { documents: entriesOf(JSON.parse(document), name).map((entry) => JSON.stringify(entry)), nextBefore: null };
  }

  async getEntry(definition: Definition, at: Place, name: string): Promise<Answer> {
    const { document } = await this.#load(this.store.reader, definition, at);
    const key = keyOf(definition, name);
    const entry = entriesOf(JSON.parse(document), name).find((candidate) => candidate[key] === at[key]);
    if (!entry) throw noEntry(definition, at, name);
    return partAnswer(entry);
  }

  async addEntry(definition: Definition, at: Place, name: string, body: unknown): Promise<Created> {
    const answered = await this.changes.answeredBefore<Created>();
    if (answered) return answered;
    const list = bare(definition.fields[name] as never) as unknown as { element: never };
    const { value, problems } = validateModule(list.element, body);
    refuseFaults(problems);
    const key = keyOf(definition, name);
    return this.changes.make(async (transaction, happened) => {
      const stored = await this.#loadToChange(transaction, definition, at);
      const present = entriesOf(stored.before, name);
      if (present.some((entry) => entry[key] === value[key])) {
        refuseFaults([{ error: "taken", path: [key], message: `is one of the ${name} already` }]);
      }
      const saved = await this.#save(transaction, happened, definition, stored, {
        [name]: [...present.map(({ uri, ...entry }) => entry), value],
      });
      return { id: value[key] as string, ...partAnswer(entriesOf(saved.after, name).at(-1)) };
    });
  }

  async removeEntry(definition: Definition, at: Place, name: string, precondition: Precondition): Promise<void> {
    const key = keyOf(definition, name);
    return this.changes.make(async (transaction, happened) => {
      const stored = await this.#loadToChange(transaction, definition, at);
      const present = entriesOf(stored.before, name);
      const removed = present.find((entry) => entry[key] === at[key]);
      if (!removed) throw noEntry(definition, at, name);
      precondition(partAnswer(removed).etag);
      const left = present.filter((entry) => entry !== removed).map(({ uri, ...entry }) => entry);
      await this.#save(transaction, happened, definition, stored, { [name]: left });
    });
  }

  async #load(db: Kysely<Database>, definition: Definition, at: Place): Promise<Stored> {
    await this.#loadParents(db, definition, at);
    return this.#find(db, findById, definition, at);
  }

  /** Keeps other writers away from the object, and from referring to it, until this transaction ends. */
  async #loadToChange(transaction: Kysely<Database>, definition: Definition, at: Place): Promise<ToChange> {
    await lockParents(transaction, definition, at);
    await this.#loadParents(transaction, definition, at);
    const found = await this.#find(transaction, lockById, definition, at);
    return { ...found, before: JSON.parse(found.document) };
  }

  async #find(db: Kysely<Database>, byId: typeof findById, definition: Definition, at: Place): Promise<Stored> {
    const { id } = at;
    if (!id.startsWith(`${definition.idPrefix}_`)) {
      throw new ApiError(
        "wrong_id_kind",
        `${JSON.stringify(id)} is not the id of ${withArticle(definition.title)}: expected one that begins with "${definition.idPrefix}_"`,
      );
    }
    refuseMembers(definition, this.caller);
    const [row] = await byId(db, { id });
    const parents = pathFieldsOf(definition);
    const document: Document | undefined = row && parents.length > 0 ? JSON.parse(row.document) : undefined;
    const elsewhere = document && parents.find((field) => document[field] !== at[field]);
    const hidden = row && definition.access === "owner" && !this.caller.admin && row.owner_id !== this.caller.ownerId;
    if (!row || elsewhere || hidden) {
      const where = parents.map((field) => ` of ${at[field]}`).join("");
      throw new ApiError("not_found", `There is no ${definition.title} ${id}${where}; it may have been deleted`);
    }
    // Not all of the row: copying what node:sqlite answers costs as much as reading it.
    return { id, version: row.version, document: await this.documents.open(db, definition, row.document) };
  }

  /** The objects that the path names before the last one have to exist too. */
  async #loadParents(db: Kysely<Database>, definition: Definition, at: Readonly<Record<string, unknown>>): Promise<void> {
    for (const field of pathFieldsOf(definition)) await this.#load(db, parentOf(definition, field), { id: at[field] as string });
  }

  /** Stores an object with some of its fields replaced; an undefined module is removed. */
  async #save(
    transaction: Kysely<Database>,
    happened: ObjectChange[],
    definition: Definition,
    { id, version: oldVersion, document, before }: ToChange,
    changes: Document,
  ): Promise<{ json: string; version: number; after: Document }> {
    const sentBefore = this.documents.sentOf(definition, before);
    const sent = Object.fromEntries(Object.entries({ ...sentBefore, ...changes }).filter(([, value]) => value !== undefined));
    refuseFaults(checkRules(definition, sent));
    const references = await resolveChanges(transaction, definition, sentBefore, sent);
    const computed = this.documents.computedOf(definition, before);
    const after = this.documents.compose(definition, id, before.created_at as string, sent, computed);
    const { json, stored } = this.documents.print(definition, after);
    if (json === document) return { json, version: oldVersion, after };
    const version = oldVersion + 1;
    await updateDocument(transaction, { id, version, document: stored });
    happened.push({ change: "updated", definition, id, before, after });
    if (references) {
      await forgetReferences(transaction, [id]);
      await recordReferences(transaction, id, references);
    }
    await replaceUniqueKeys(transaction, { definition, id, before: sentBefore, sent });
    await refreshParent(transaction, definition, sent);
    return { json, version, after };
  }
}

interface Stored {
  readonly id: string;
  readonly version: number;
  /** Its JSON, with its secrets as they are. */
  readonly document: string;
}

interface ToChange extends Stored {
  /** The same, parsed. */
  readonly before: Document;
}

/** Where an object is: its id, and the ids that its path names, by field. */
export type Place = Readonly<Record<string, string>> & { readonly id: string };

function refuseMembers(definition: Definition, caller: Caller): void {
  if (definition.access === "admin" && !caller.admin)
    throw new ApiError("forbidden", `Only admins may see and change ${definition.title}s`);
}

function preconditionOnModule(precondition: Precondition, module: unknown): void {
  precondition(module === null ? undefined : partAnswer(module).etag);
}

const noModule = (definition: Definition, id: string, name: string): ApiError =>
  new ApiError("no_module", `${definition.title} ${id} has no ${name} configured; PUT it here to configure it`);

const entriesOf = (document: Document, name: string): Document[] => (document as Record<string, Document[]>)[name] ?? [];

const keyOf = (definition: Definition, name: string): string => marksOf(definition.fields[name] as never).entries?.key ?? "id";

const noEntry = (definition: Definition, at: Place, name: string): ApiError =>
  new ApiError("not_found", `${JSON.stringify(at[keyOf(definition, name)])} is none of the ${name} of ${definition.title} ${at.id}`);

const etagOf = (version: number): string => `"${version}"`;

/** A part of an object has no version of its own, so its ETag is made from what it says. */
function partAnswer(part: unknown): Answer {
  const json = JSON.stringify(part);
  return { json, etag: `"${hash("sha256", json, "base64url").slice(0, 22)}"` };
}

import { createHash } from "node:crypto";
import {
  checkRules,
  type Definition,
  type ErrorName,
  validateCreate,
  validateModule,
  validateUpdate,
  withArticle,
} from "@tunnelplane/sdk/contract";
import type { Kysely, SelectQueryBuilder } from "kysely";
import type { Caller } from "./accounts";
import { ApiError, BodyError, refuseFaults } from "./apiError";
import { behaviours } from "./behaviours";
import type { Document, Documents } from "./documents";
import { newId } from "./ids";
import { referrersOf, replaceReferences, replaceUniqueKeys } from "./relations";
import type { Database } from "./storage/schema";
import type { Store } from "./storage/store";

/** JSON to answer, and the strong ETag of what it shows. */
export interface Answer {
  readonly json: string;
  readonly etag: string;
}

export interface Page {
  /** Newest first. */
  readonly documents: readonly string[];
  /** The id to ask for what is older, or null at the end. */
  readonly nextBefore: string | null;
}

/** Tells whether a change may go on, given the ETag of what it would change, if there is anything. */
export type Precondition = (etag: string | undefined) => void;

/** What the API does with objects of any kind. Each change is one transaction: all of it or nothing. */
export class Resources {
  constructor(
    private readonly store: Store,
    private readonly documents: Documents,
  ) {}

  async create(definition: Definition, body: unknown, caller: Caller): Promise<Answer & { id: string }> {
    const { value, problems } = validateCreate(definition, body);
    refuseFaults(problems);
    const sent = "owner_id" in definition.fields ? { ...value, owner_id: value.owner_id ?? caller.ownerId } : value;
    return this.store.write(async (transaction) => {
      await refuseForeignOwner(transaction, sent.owner_id, caller);
      const id = newId(definition.idPrefix);
      const document = this.documents.compose(definition, id, new Date().toISOString(), sent);
      const json = JSON.stringify(document);
      const ownerId = (sent.owner_id as string | undefined) ?? caller.ownerId;
      await transaction
        .insertInto("resource")
        .values({ id, kind: definition.kind, owner_id: ownerId, version: 1, document: json })
        .execute();
      await relate(transaction, definition, id, sent);
      const told = await behaviours[definition.kind]?.(transaction, id);
      return { id, etag: etagOf(1), json: told ? JSON.stringify({ ...document, ...told }) : json };
    });
  }

  async get(definition: Definition, id: string): Promise<Answer> {
    const { document, version } = await load(this.store.reader, definition, id);
    return { json: document, etag: etagOf(version) };
  }

  async list(definition: Definition, { limit, before }: { limit: number; before?: string }): Promise<Page> {
    let query = this.store.reader.selectFrom("resource").select(["id", "document"]).where("kind", "=", definition.kind);
    if (before !== undefined) query = query.where("id", "<", before);
    // One more than asked for tells whether there is a next page.
    const rows = await query
      .orderBy("id", "desc")
      .limit(limit + 1)
      .execute();
    const shown = rows.slice(0, limit);
    return { documents: shown.map((row) => row.document), nextBefore: rows.length > limit ? (shown.at(-1)?.id ?? null) : null };
  }

  async update(definition: Definition, id: string, body: unknown, precondition: Precondition): Promise<Answer> {
    const { value, problems } = validateUpdate(definition, body);
    refuseFaults(problems);
    return this.store.write(async (transaction) => {
      const stored = await loadToChange(transaction, definition, id);
      precondition(etagOf(stored.version));
      return this.#save(transaction, definition, stored, value);
    });
  }

  async remove(definition: Definition, id: string, precondition: Precondition): Promise<void> {
    return this.store.write(async (transaction) => {
      const { version } = await loadToChange(transaction, definition, id);
      precondition(etagOf(version));
      const { children, users } = await referrersOf(transaction, id);
      if (users.length > 0) {
        throw new ApiError("in_use", `${id} is still in use by ${users.join(", ")}; remove it there first`);
      }
      const ids = [...children, id];
      await transaction.deleteFrom("reference").where("from_id", "in", ids).execute();
      await transaction.deleteFrom("resource").where("id", "in", ids).execute();
    });
  }

  async getModule(definition: Definition, id: string, name: string): Promise<Answer> {
    const { document } = await load(this.store.reader, definition, id);
    const module = (JSON.parse(document) as Document)[name];
    if (module === null) throw noModule(definition, id, name);
    return moduleAnswer(module);
  }

  async replaceModule(definition: Definition, id: string, name: string, body: unknown, precondition: Precondition): Promise<Answer> {
    const { value, problems } = validateModule(definition.fields[name] as never, body);
    refuseFaults(problems);
    return this.store.write(async (transaction) => {
      const stored = await loadToChange(transaction, definition, id);
      preconditionOnModule(precondition, stored.document, name);
      const saved = await this.#save(transaction, definition, stored, { [name]: value }).catch((error: unknown) => {
        throw error instanceof BodyError ? error.within(name) : error;
      });
      return moduleAnswer((JSON.parse(saved.json) as Document)[name]);
    });
  }

  async removeModule(definition: Definition, id: string, name: string, precondition: Precondition): Promise<void> {
    return this.store.write(async (transaction) => {
      const stored = await loadToChange(transaction, definition, id);
      preconditionOnModule(precondition, stored.document, name);
      if ((JSON.parse(stored.document) as Document)[name] === null) return;
      await this.#save(transaction, definition, stored, { [name]: undefined });
    });
  }

  /** Stores an object with some of its fields replaced; an undefined module is removed. */
  async #save(transaction: Kysely<Database>, definition: Definition, stored: Stored, changes: Document): Promise<Answer> {
    const before = JSON.parse(stored.document) as Document;
    const sent = Object.fromEntries(
      Object.entries({ ...this.documents.sentOf(definition, before), ...changes }).filter(([, value]) => value !== undefined),
    );
    refuseFaults(checkRules(definition, sent));
    const json = JSON.stringify(this.documents.compose(definition, stored.id, before.created_at as string, sent));
    if (json === stored.document) return { json, etag: etagOf(stored.version) };
    const version = stored.version + 1;
    await transaction.updateTable("resource").set({ version, document: json }).where("id", "=", stored.id).execute();
    await relate(transaction, definition, stored.id, sent);
    return { json, etag: etagOf(version) };
  }
}

interface Stored {
  readonly id: string;
  readonly version: number;
  readonly document: string;
}

const load = (db: Kysely<Database>, definition: Definition, id: string) => find(db.selectFrom("resource"), definition, id);

/** Keeps other writers away from the object, and from referring to it, until this transaction ends. */
const loadToChange = (transaction: Kysely<Database>, definition: Definition, id: string) =>
  find(transaction.selectFrom("resource").forUpdate(), definition, id);

async function find(resources: SelectQueryBuilder<Database, "resource", object>, definition: Definition, id: string): Promise<Stored> {
  if (!id.startsWith(`${definition.idPrefix}_`)) {
    throw new ApiError(
      "wrong_id_kind",
      `${JSON.stringify(id)} is not the id of ${withArticle(definition.title)}: expected one that begins with "${definition.idPrefix}_"`,
    );
  }
  const row = await resources.select(["id", "version", "document"]).where("id", "=", id).executeTakeFirst();
  if (!row) throw new ApiError("not_found", `There is no ${definition.title} ${id}; it may have been deleted`);
  return row;
}

async function relate(transaction: Kysely<Database>, definition: Definition, id: string, sent: Document): Promise<void> {
  await replaceReferences(transaction, definition, id, sent);
  await replaceUniqueKeys(transaction, definition, id, sent);
}

async function refuseForeignOwner(transaction: Kysely<Database>, owner: unknown, caller: Caller): Promise<void> {
  if (typeof owner !== "string" || owner === caller.ownerId) return;
  const refuse = (error: ErrorName, message: string) => refuseFaults([{ error, path: ["owner_id"], message }]);
  if (!/^(usr|bot)_/.test(owner))
    refuse("wrong_id_kind", `is ${JSON.stringify(owner)}: expected the id of a user ("usr_…") or a bot ("bot_…")`);
  if (!caller.admin) refuse("forbidden", "names another user or bot; only admins may do that. Leave it out to own the object yourself");
  const known = await transaction.selectFrom("principal").select("id").where("id", "=", owner).executeTakeFirst();
  if (!known) refuse("missing_target", `names ${owner}, but there is no such user or bot; leave it out to own the object yourself`);
}

function preconditionOnModule(precondition: Precondition, document: string, name: string): void {
  const module = (JSON.parse(document) as Document)[name];
  precondition(module === null ? undefined : moduleAnswer(module).etag);
}

const noModule = (definition: Definition, id: string, name: string): ApiError =>
  new ApiError("no_module", `${definition.title} ${id} has no ${name} configured; PUT it here to configure it`);

const etagOf = (version: number): string => `"${version}"`;

/** A module has no version of its own, so its ETag is made from what it says. */
function moduleAnswer(module: unknown): Answer {
  const json = JSON.stringify(module);
  return { json, etag: `"${createHash("sha256").update(json).digest("base64url").slice(0, 22)}"` };
}

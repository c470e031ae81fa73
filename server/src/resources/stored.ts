import {
  checkRules,
  DEFAULT_PROJECT,
  type Definition,
  own,
  type Problem,
  passedEnd,
  pathFieldsOf,
  type Settling,
  waitedForBy,
  waits,
  withArticle,
} from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import { type Caller, holderOf, isHidden, isLent, ONLY_LENT, readerOf } from "../auth";
import type { Compute, Findings, Purpose } from "../compute";
import { type Answer, type Document, noteRenames, setNames, storedName, textIn } from "../documents";
import type { ObjectChange, StoredAs } from "../journal";
import { type Database, pipelined, Transaction } from "../storage";
import { quoted, RequestError, refuseFaults, shortened } from "../util";
import { endRows, forgetEnds, insertEnds, isEndChanged } from "./endTimes";
import { aheadOf, notHeldBy, passOn, refuseLoosening } from "./handover";
import { closedWithout, lackedAfter, type PendingRemoval, withLeaving } from "./lacked";
import { lockParents, parentOf, touchParent } from "./parents";
import { defaultProject, UNSTORED } from "./projects";
import {
  claimsOthers,
  forgetReferences,
  forgetUniqueKeys,
  insertUniqueKeys,
  keysOf,
  recordReferences,
  refersElsewhere,
} from "./references";
import {
  type FindById,
  findById,
  findWhole,
  insertResources,
  lockWhole,
  type StoredRow,
  updateDocument,
} from "./rows";
import {
  checkCircles,
  checkKinds,
  checkTargets,
  checkUniqueKeys,
  Existing,
  lockAllNesting,
  type PendingDelete,
  type PendingWrite,
  referencesOf,
  refusing,
} from "./rules";
import { jsonFor } from "./shown";
import type { ChangeRequest, ServerContext } from "./transaction";

interface Given extends Partial<Settling> {
  readonly given: Document;
  /** The fields that were sent before; empty for a new object. */
  readonly before: Document;
}

/** The fields to store of an object, without those to remove; or the mistake in what was given. */
export function settled(
  definition: Definition,
  { given, before, dryRun = false }: Given,
): { readonly sent: Document } | { readonly problem: Problem } {
  const found = definition.settle?.(given, before, { dryRun }) ?? { fields: given };
  if (!("fields" in found)) return { problem: { error: "invalid_field", ...found } };
  const all = Object.entries({ ...before, ...found.fields });
  return { sent: Object.fromEntries(all.filter(([, value]) => value !== undefined)) };
}

/** Limit of objects that one object may contain, directly or through others. No sensible tree is larger. */
const MAX_CONTAINED = 1_000;

/** The answer to a creation. */
export interface Created extends Answer {
  readonly id: string;
  /** Whether this is the kept first answer to an idempotent request. */
  readonly replayed?: boolean;
}

/** Throws if a change may not go on. Takes the current ETag, or undefined if there is nothing yet. */
export type Precondition = (etag: string | undefined) => void;

/** Stored objects, as one caller may see and change them. Each change is one transaction: all or nothing. */
export class StoredObjects {
  readonly #documents: ServerContext["documents"];
  readonly #bodies: Compute["bodies"];
  readonly #caller: Caller;

  constructor(
    context: Pick<ServerContext, "documents" | "compute">,
    private readonly request: Pick<ChangeRequest, "caller" | "dryRun" | "gone">,
  ) {
    this.#caller = request.caller;
    this.#documents = context.documents;
    this.#bodies = context.compute.bodies;
  }

  /** Validates a body; throws if the contract does not allow it. */
  async validate(purpose: Purpose, body: unknown): Promise<Findings> {
    const found = await this.#bodies.validate(holderOf(this.#caller), purpose, body, this.request.gone);
    refuseFaults(found.problems);
    return found;
  }

  /** The object as the caller may see it. */
  async load(db: Kysely<Database>, definition: Definition, at: ObjectPath): Promise<Stored> {
    await this.loadParents(db, definition, at);
    const { row, version } = await this.#find(db, findWhole(definition), definition, at, "read");
    const json = await this.#documents.read(db, definition, row.document, nameOf(version));
    return { ...version, document: jsonFor(readerOf(row, this.#caller), definition, json) };
  }

  /** Locks the object until the transaction ends: others can neither change it nor refer to it. */
  async loadToChange(transaction: Transaction, definition: Definition, at: ObjectPath): Promise<ToChange> {
    if (at.id === DEFAULT_PROJECT.id) await lockAllNesting(transaction); // there may be no row to lock
    await lockParents(transaction, definition, at);
    await this.loadParents(transaction, definition, at, "change");
    const { row, version } = await this.#find(transaction, lockWhole(definition), definition, at, "change");
    const { json, document } = await this.#documents.readToChange(
      transaction,
      definition,
      row.document,
      nameOf(version),
    );
    return { ...version, document: json, before: document };
  }

  async #find(
    db: Kysely<Database>,
    byId: FindById,
    definition: Definition,
    at: ObjectPath,
    purpose: "read" | "change",
  ): Promise<Found> {
    const { id } = at;
    if (!id.startsWith(`${definition.idPrefix}_`)) {
      throw new RequestError(
        "wrong_id_kind",
        `${quoted(id)} is not the id of ${withArticle(definition.title)}: expected one that begins with "${definition.idPrefix}_"`,
      );
    }
    const [stored] = await byId(db, { id });
    const found = stored ?? (id === DEFAULT_PROJECT.id ? defaultProject(this.#documents) : undefined);
    const row = found?.kind === definition.kind ? found : undefined; // a prefix proves nothing
    const parents = pathFieldsOf(definition);
    const inPath: Document | undefined = row && parents.length > 0 ? JSON.parse(row.document) : undefined;
    const elsewhere = inPath && parents.find((field) => inPath[field] !== at[field]);
    const isShown =
      row && (!isHidden(definition, row, this.#caller) || isLent(definition, row, this.#caller));
    if (!row || elsewhere || !isShown) {
      const where = parents.map((field) => ` of ${at[field]}`).join("");
      throw new RequestError(
        "not_found",
        `There is no ${definition.title} ${shortened(id)}${where}; it may have been deleted`,
      );
    }
    if (purpose === "change" && isLent(definition, row, this.#caller))
      throw new RequestError("forbidden", `${definition.title} ${id} ${ONLY_LENT}`);
    // Picks fields one by one: a spread of node:sqlite's row costs as much as reading it.
    return {
      row,
      version: { id, ownerId: row.owner_id, version: row.version, project: row.project_id, name: row.name },
    };
  }

  /** Checks that the parents in the path exist, and may be changed where one of their children will be. */
  async loadParents(
    db: Kysely<Database>,
    definition: Definition,
    at: Readonly<Record<string, unknown>>,
    purpose: "read" | "change" = "read",
  ): Promise<void> {
    for (const field of pathFieldsOf(definition)) {
      const parent = parentOf(definition, field);
      await this.#find(db, findById, parent, { id: textIn(at, field) }, purpose);
    }
  }

  /**
   * Checks what an object refers to. An optimistic transaction leaves missing objects to a constraint, which
   * does not know who may use a private key.
   */
  async checkReferences(db: Kysely<Database> | Transaction, write: PendingWrite): Promise<void> {
    checkKinds([write], refusing);
    const { references } = write;
    if (isOptimistic(db) ? references.some(usesPrivateKey) : references.length > 0)
      await checkTargets(new Existing(db), [write], refusing, this.#caller);
  }

  /**
   * Checks that nobody else holds an object's keys. An optimistic transaction leaves that to a constraint.
   */
  async checkClaims(
    transaction: Transaction,
    write: PendingWrite,
    deletes: readonly PendingDelete[] = [],
  ): Promise<void> {
    if (!isOptimistic(transaction))
      await checkUniqueKeys(new Existing(transaction), [write], deletes, refusing, this.#caller);
  }

  /**
   * Stores an object with some of its fields replaced; an undefined module is removed.
   */
  async save(
    transaction: Transaction,
    changes: ObjectChange[],
    definition: Definition,
    { id, ownerId, version: oldVersion, project, document, before, name: oldName }: ToChange,
    fields: Document,
    { name, ...how }: SaveOptions = {},
  ): Promise<{ json: string; version: number; after: Document }> {
    const { dryRun } = this.request;
    const amendment = amendmentOf(this.#documents, definition, before, fields, { ...how, dryRun });
    const { sentBefore, sent } = amendment;
    refuseFaults(amendment.problems);
    const write = pendingWriteOf(definition, { id, project, sent, before: sentBefore });
    const isStored = oldVersion !== UNSTORED;
    const [refers, claims] = [refersElsewhere(write), claimsOthers(write) || !isStored];
    const ends = isEndChanged(definition, sentBefore, sent);
    if (refers) {
      await this.checkReferences(transaction, write);
      await checkCircles(new Existing(transaction), [write], refusing, MAX_CONTAINED);
    }
    const { after, json, stored } = amendment.print();
    await refuseLoosening(transaction, definition, id, { before, after });
    const naming = { id, name: name === undefined ? oldName : storedName(name) };
    const isRenamed = naming.name !== oldName;
    if (json === document && (isStored || !isRenamed)) {
      if (isRenamed) {
        await setNames(transaction, [naming]);
        await noteRenames(transaction);
      }
      return { json, version: oldVersion, after };
    }
    const version = oldVersion + 1;
    const ahead = claims && waitedForBy(before) !== undefined ? await aheadOf(transaction, id) : [];
    if (claims) await this.checkClaims(transaction, write, ahead);
    const keys = claims ? await notHeldBy(transaction, keysOf(id, definition, sent), ahead) : [];
    await pipelined([
      isStored
        ? updateDocument(transaction, { id, version, document: stored })
        : insertResources(transaction, [
            {
              ...naming,
              kind: definition.kind,
              owner_id: ownerId,
              version,
              document: stored,
              project_id: project,
            },
          ]),
      isStored && isRenamed && setNames(transaction, [naming]),
      refers && forgetReferences(transaction, [id]),
      refers && recordReferences(transaction, write),
      claims && forgetUniqueKeys(transaction, [id]),
      claims && insertUniqueKeys(transaction, keys),
      ends && forgetEnds(transaction, [id]),
      ends && insertEnds(transaction, endRows(id, definition, sent)),
    ]);
    if (claims && waits(definition)) await passOn(transaction, this.#documents, id);
    const storedAs = { ownerId, version, project };
    changes.push({ change: "updated", definition, id, storedAs, before, after, json, name: naming.name });
    await touchParent(transaction, definition, sent, json.length > document.length);
    return { json, version, after };
  }
}

/** One object as a set of one. `before` are its fields so far; undefined for a new one. */
export const pendingWriteOf = (
  definition: Definition,
  object: Pick<PendingWrite, "id" | "project" | "sent"> & Partial<Pick<PendingWrite, "before">>,
): PendingWrite => ({
  before: undefined,
  ...object,
  name: object.id,
  definition,
  references: referencesOf(definition, object.sent),
});

/** An object after some of its fields were replaced. */
export interface Amendment {
  /** The fields that were sent for it so far. */
  readonly sentBefore: Document;
  readonly sent: Document;
  /** Broken rules across its fields. */
  readonly problems: readonly Problem[];
  print(): { readonly after: Document; readonly json: string; readonly stored: string };
}

/** How an object is stored with some of its fields replaced. */
interface SaveOptions {
  /** In the program: "" for none, undefined to leave it as it is. */
  readonly name?: string | undefined;
  /** The removed modules without which it serves nothing. Default: none. */
  readonly closing?: readonly string[];
  /** The parts without which it serves nothing, beside those of before; an empty list for none. */
  readonly lacking?: readonly string[] | undefined;
  /** The modules that are removed once it has others, in the place of those of before. */
  readonly leaving?: PendingRemoval | undefined;
}

interface AmendOptions extends Pick<SaveOptions, "closing" | "lacking" | "leaving">, Partial<Settling> {}

/**
 * @param given a module that is undefined is removed
 */
export function amendmentOf(
  documents: ServerContext["documents"],
  definition: Definition,
  before: Document,
  given: Document,
  { closing = [], lacking, leaving: asked, dryRun }: AmendOptions = {},
): Amendment {
  const sentBefore = documents.sentOf(definition, before);
  const { fields, leaving } = withLeaving(definition, { before, sent: sentBefore }, given, asked);
  const found = settled(definition, { given: fields, before: sentBefore, dryRun });
  const { sent } = "sent" in found ? found : { sent: sentBefore };
  return {
    sentBefore,
    sent,
    problems: [
      ...("problem" in found ? [found.problem] : []),
      ...checkRules(definition, sent),
      ...passedEnd(definition, { before: sentBefore, after: sent, now: new Date() }),
    ],
    print() {
      const isSet = (part: string) => Object.hasOwn(fields, part) || own(sent, part) !== undefined;
      const [parts, hostports] = lackedAfter(definition, { before, fields, sent, lacking });
      const lacked = [...parts.filter((part) => !isSet(part)), ...closing];
      const waiting = closing.length > 0 ? [] : hostports;
      const computed = {
        ...documents.computedOf(definition, before),
        ...(waits(definition) && { ...closedWithout(definition, lacked, waiting), leaving }),
      };
      const after = documents.compose(
        definition,
        textIn(before, "id"),
        textIn(before, "created_at"),
        sent,
        computed,
      );
      return { after, ...documents.print(definition, after) };
    },
  };
}

const usesPrivateKey = ({ reference }: PendingWrite["references"][number]) => reference.usesPrivateKey;

const isOptimistic = (db: Kysely<Database>): boolean => db instanceof Transaction && db.facts.isOptimistic;

/** A stored object as it is found, its secrets sealed. */
interface Found {
  readonly row: StoredRow;
  readonly version: Omit<Stored, "document">;
}

const nameOf = ({ id, version }: Found["version"]): string => `${id} ${version}`;

interface Stored extends StoredAs {
  readonly id: string;
  /** Its name in the program; null for none. */
  readonly name: string | null;
  /** Its JSON, with its secrets as they are. */
  readonly document: string;
}

interface ToChange extends Stored {
  /** The same, parsed. */
  readonly before: Document;
}

/** An object's id and the ids of its parents in the path, by field. */
export type ObjectPath = Readonly<Record<string, string>> & { readonly id: string };

import { type Definition, may, pathFieldsOf } from "@tunnelplane/sdk/contract";
import { type Document, embeddedListOf, type Naming, textIn } from "../documents";
import { type ObjectChange, storedAsOf } from "../journal";
import {
  endRows,
  isEndChanged,
  type KeptSecret,
  keysOf,
  parentOf,
  prepareCreation,
  referenceRows,
  referencesOf,
} from "../resources";
import type { Database } from "../storage";
import { yieldToEventLoop } from "../util";
import type { Item } from "./items";
import type { Planning } from "./planning";

/** The rows that an apply writes. */
export interface Rows {
  readonly resources: Database["resource"][];
  readonly updates: Pick<Database["resource"], "id" | "version" | "document">[];
  /** Objects that stay, and do not have the name of their key yet. */
  readonly namings: Naming[];
  readonly references: Database["reference"][];
  readonly uniqueKeys: Database["unique_key"][];
  readonly secretHashes: Database["one_time_secret"][];
  readonly sealedSecrets: Database["sealed_secret"][];
  readonly ends: Database["ending"][];
  /** Objects that stay, whose references, unique keys or ends are replaced. */
  readonly otherReferences: string[];
  readonly otherKeys: string[];
  readonly otherEnds: string[];
  /** Children whose parents show them. */
  readonly children: Child[];
}

/** An object that another shows in its own document. */
export interface Child {
  readonly name: string;
  readonly definition: Definition;
  readonly sent: Document;
  /** Bytes of its document; 0 if it goes or shrinks. */
  readonly bytes: number;
}

export interface Prepared {
  readonly rows: Rows;
  readonly changes: readonly ObjectChange[];
  /** One-time secrets, by id. */
  readonly oneTime: ReadonlyMap<string, Document>;
  readonly updated: ReadonlySet<Item>;
}

/**
 * Makes keys, signs, composes and prints: all the work that needs no transaction. A dry run makes nothing.
 */
export async function prepare(planning: Planning, items: readonly Item[]): Promise<Prepared> {
  const { faults } = planning;
  const rows: Rows = {
    resources: [],
    updates: [],
    namings: [],
    references: [],
    uniqueKeys: [],
    secretHashes: [],
    sealedSecrets: [],
    ends: [],
    otherReferences: [],
    otherKeys: [],
    otherEnds: [],
    children: [],
  };
  const work: Work = { rows, changes: [], oneTime: new Map(), updated: new Set() };
  const made = new Map<string, KeptSecret>();
  const faulty = new Set(items.filter(({ name }) => faults.has(name)).map(({ id }) => id));
  const now = new Date();
  for (const item of items) {
    await yieldToEventLoop();
    if (faulty.has(item.id) || item.references.some((reference) => faulty.has(reference.id))) {
      faulty.add(item.id);
      continue;
    }
    try {
      if (!item.old || item.isReplaced) await prepareNew(planning, item, { now, made }, work);
      else {
        prepareUpdate(item, work);
        const { id, key, old, definition } = item;
        if (old.name !== key && may(planning.caller, "write", definition))
          rows.namings.push({ id, name: key });
      }
    } catch (error) {
      faults.addRefusal(item.name, error);
      faulty.add(item.id);
    }
  }
  return work;
}

type Work = Pick<Prepared, "rows"> & {
  readonly changes: ObjectChange[];
  readonly oneTime: Map<string, Document>;
  readonly updated: Set<Item>;
};

async function prepareNew(
  { context, caller, dryRun }: Planning,
  { definition, id, name, key, sent, derived }: Item,
  { now, made }: { now: Date; made: Map<string, KeptSecret> },
  { rows, changes, oneTime }: Work,
): Promise<void> {
  const body = { value: sent, problems: [], derived };
  const order = { definition, id, now, body, made, dryRun, name: key };
  const creation = await prepareCreation(context, caller, order);
  if (creation.kept) made.set(id, creation.kept);
  if (creation.oneTime) oneTime.set(id, creation.oneTime);
  const { json, rows: printed } = creation.print();
  const { resource, secretHashes, sealedSecrets } = printed;
  rows.resources.push(resource);
  rows.secretHashes.push(...secretHashes);
  rows.sealedSecrets.push(...sealedSecrets);
  rows.references.push(...referenceRows(id, referencesOf(definition, creation.sent)));
  rows.uniqueKeys.push(...keysOf(id, definition, creation.claiming));
  rows.ends.push(...endRows(id, definition, creation.sent));
  if (isEmbedded(definition))
    rows.children.push({
      name,
      definition,
      sent: creation.sent,
      bytes: Buffer.byteLength(resource.document),
    });
  changes.push({
    change: "created",
    definition,
    id,
    storedAs: storedAsOf(resource),
    after: creation.after,
    json,
  });
}

function prepareUpdate(item: Item, { rows, changes, updated }: Work): void {
  const { definition, id, name, old, amendment, sent } = item;
  if (!old || !amendment) return;
  const { after, json, stored } = amendment.print();
  const before = JSON.stringify(old.before);
  if (json === before) return;
  const version = old.version + 1;
  updated.add(item);
  rows.updates.push({ id, version, document: stored });
  changes.push({
    change: "updated",
    definition,
    id,
    storedAs: storedAsOf({ ...old, version }),
    before: old.before,
    after,
    json,
  });
  const [oldReferences, references] = [amendment.sentBefore, sent].map((fields) =>
    referenceRows(id, referencesOf(definition, fields)),
  );
  if (JSON.stringify(oldReferences) !== JSON.stringify(references)) {
    rows.otherReferences.push(id);
    rows.references.push(...(references ?? []));
  }
  const [oldKeys, keys] = [amendment.sentBefore, sent].map((fields) => keysOf(id, definition, fields));
  if (JSON.stringify(oldKeys) !== JSON.stringify(keys)) {
    rows.otherKeys.push(id);
    rows.uniqueKeys.push(...(keys ?? []));
  }
  if (isEndChanged(definition, amendment.sentBefore, sent)) {
    rows.otherEnds.push(id);
    rows.ends.push(...endRows(id, definition, sent));
  }
  const grew = json.length > before.length;
  if (isEmbedded(definition))
    rows.children.push({ name, definition, sent, bytes: grew ? Buffer.byteLength(stored) : 0 });
}

/** Whether objects of a type stand in the documents of their parents. */
export const isEmbedded = (definition: Definition): boolean =>
  pathFieldsOf(definition).some(
    (field) => embeddedListOf(parentOf(definition, field))?.definition === definition,
  );

/** The parents of a child. */
export const parentIds = ({ definition, sent }: Pick<Child, "definition" | "sent">): string[] =>
  pathFieldsOf(definition).map((field) => textIn(sent, field));

import {
  createSchema,
  type Definition,
  definitionNamed,
  definitionOfId,
  type FoundReference,
  formatPath,
  referencesIn,
  targetsOf,
  type UniqueKey,
  withArticle,
} from "@tunnelplane/sdk/contract";
import { type Kysely, sql } from "kysely";
import { type Caller, isHidden } from "../auth";
import type { Document } from "../documents";
import { type Database, effect, insertion, isHasty, pipelined, statement } from "../storage";
import { type Fault, refuseFaults } from "../util";

/** A reference of a body, and the types of objects that may stand there. */
export interface ResolvableReference extends FoundReference {
  readonly targets: readonly Definition[];
}

/** The references of a body. Users are no resources, so references to them are left out. */
export const referencesOf = (definition: Definition, sent: Document): ResolvableReference[] =>
  referencesIn(createSchema(definition), sent)
    .filter(({ id }) => !id.startsWith("usr_"))
    .map((reference) => ({ ...reference, targets: targetsOf(reference.reference.to) }));

/** The fault of a reference whose id names an object of another type than is allowed there. */
export function wrongKind({ path, id: target, targets }: ResolvableReference): Fault | undefined {
  const named = definitionOfId(target);
  if (named && targets.includes(named)) return undefined;
  const expected = targets
    .map(({ title, idPrefix }) => `${withArticle(title)} ("${idPrefix}_…")`)
    .join(" or ");
  return {
    error: "wrong_id_kind",
    path,
    message: `is ${JSON.stringify(target)}: expected the id of ${expected}`,
  };
}

/** @param kind of the object that has the id, if there is one */
export function missingTarget(
  { path, id: target, targets }: ResolvableReference,
  kind: string | undefined,
): Fault | undefined {
  if (targets.some((one) => one.kind === kind)) return undefined;
  const title = definitionOfId(target)?.title;
  return {
    error: "missing_target",
    path,
    message: `names ${target}, but there is no such ${title}; create it first`,
  };
}

/**
 * Finds the objects that a body refers to. Refuses references to missing objects and to objects of another
 * type.
 */
export async function resolveReferences(
  db: Kysely<Database>,
  definition: Definition,
  sent: Document,
): Promise<ResolvableReference[]> {
  const found = rightReferences(definition, sent);
  await refuseMissing(db, found);
  return found;
}

/** Refuses references to missing objects. A hasty transaction leaves that to {@link recordReferences}. */
export async function refuseMissing(
  db: Kysely<Database>,
  found: readonly ResolvableReference[],
): Promise<void> {
  if (found.length === 0 || isHasty(db)) return;
  const ids = [...new Set(found.map((reference) => reference.id))];
  const kinds = new Map(
    (await pipelined(ids.map((id) => kindOf(db, { id })))).map(([row], index) => [ids[index], row?.kind]),
  );
  refuseFirst(found, (reference) => missingTarget(reference, kinds.get(reference.id)));
}

/** The references of a body. Refuses ids of another type than may stand there. */
export function rightReferences(definition: Definition, sent: Document): ResolvableReference[] {
  const found = referencesOf(definition, sent);
  refuseFirst(found, wrongKind);
  return found;
}

function refuseFirst(
  found: readonly ResolvableReference[],
  faultOf: (reference: ResolvableReference) => Fault | undefined,
): void {
  for (const reference of found) {
    const fault = faultOf(reference);
    if (fault) refuseFaults([fault]);
  }
}

const kindOf = statement<{ id: string }, { kind: string }>((db, parameter) =>
  db.selectFrom("resource").select("kind").where("id", "=", parameter("id")),
);

/**
 * Finds an object's new references as {@link resolveReferences} does; undefined if they do not change.
 *
 * Unchanged references are not written again. That would wait for a transaction that deletes their target,
 * which may itself wait for this object, because it deletes it too: a deadlock.
 *
 * @param before the fields that were sent for the object so far
 */
export async function resolveChanges(
  transaction: Kysely<Database>,
  definition: Definition,
  before: Document,
  sent: Document,
): Promise<ResolvableReference[] | undefined> {
  const placesIn = (document: Document) =>
    referencesIn(createSchema(definition), document)
      .map(({ path, id }) => `${formatPath(path)} ${id}`)
      .join("\n");
  return placesIn(before) === placesIn(sent) ? undefined : resolveReferences(transaction, definition, sent);
}

/**
 * Records what an object refers to. A hasty transaction fails if that is missing, or of another type than may
 * stand there.
 */
export async function recordReferences(
  transaction: Kysely<Database>,
  id: string,
  found: readonly ResolvableReference[],
): Promise<void> {
  const rows = referenceRows(id, found);
  const kindsOf = (index: number) => (found[index]?.targets ?? []).map(({ kind }) => kind).join(",");
  await pipelined(
    rows.map((row, index) =>
      isHasty(transaction)
        ? insertCheckedReference(transaction, { ...row, kinds: kindsOf(index) })
        : insertReference(transaction, row),
    ),
  );
}

export const referenceRows = (id: string, found: readonly FoundReference[]): Database["reference"][] =>
  found.map(({ path, id: target, reference }) => ({
    from_id: id,
    to_id: target,
    field: formatPath(path),
    cascades: reference.cascade ? 1 : 0,
  }));

const insertReference = insertion("reference", ["from_id", "to_id", "field", "cascades"]);

/** For PostgreSQL: without a target of these kinds the row has none, which the table refuses. */
const insertCheckedReference = effect<Database["reference"] & { kinds: string }>((db, parameter) =>
  db.insertInto("reference").values({
    from_id: parameter("from_id"),
    to_id: sql<string>`(select id from resource where id = ${parameter("to_id")} and kind = any(string_to_array(${parameter("kinds")}, ',')))`,
    field: parameter("field"),
    cascades: parameter("cascades"),
  }),
);

/** Removes the recorded references of objects. */
export async function forgetReferences(transaction: Kysely<Database>, ids: readonly string[]): Promise<void> {
  await pipelined(ids.map((id) => deleteReferences(transaction, { id })));
}

const deleteReferences = effect<{ id: string }>((db, parameter) =>
  db.deleteFrom("reference").where("from_id", "=", parameter("id")),
);

/**
 * Records an object's unique keys. Refuses those that another object holds.
 *
 * @param before the fields that were sent for the object so far; undefined for a new object
 */
export async function replaceUniqueKeys(
  transaction: Kysely<Database>,
  {
    definition,
    id,
    before,
    sent,
  }: { definition: Definition; id: string; before: Document | undefined; sent: Document },
  caller: Caller,
): Promise<void> {
  const keys = definition.unique(sent);
  const held = before ? definition.unique(before) : [];
  const valuesOf = (some: readonly UniqueKey[]) => some.map(({ scope, key }) => `${scope} ${key}`).join("\n");
  if (valuesOf(keys) === valuesOf(held)) return;
  if (held.length > 0) await deleteUniqueKeys(transaction, { id });
  // Sorted, so that writers who claim the same keys wait for each other without a deadlock.
  const inOrder = keys.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  await pipelined([
    refuseHeld(transaction, definition, keys, caller),
    ...inOrder.map(({ scope, key }) => insertUniqueKey(transaction, { scope, value: key, resource_id: id })),
  ]);
}

/** Refuses keys that another object holds. A hasty transaction leaves that to the primary key. */
async function refuseHeld(
  transaction: Kysely<Database>,
  definition: Definition,
  keys: readonly UniqueKey[],
  caller: Caller,
): Promise<void> {
  if (isHasty(transaction)) return;
  const holders = await pipelined(keys.map(({ scope, key }) => holderOf(transaction, { scope, value: key })));
  for (const [index, { path, taken }] of keys.entries()) {
    const [holder] = holders[index] ?? [];
    if (!holder) continue;
    const name = isHidden(definition, holder.owner_id, caller) ? "" : ` (${holder.id})`;
    refuseFaults([{ error: "taken", path, message: taken + name }]);
  }
}

const deleteUniqueKeys = effect<{ id: string }>((db, parameter) =>
  db.deleteFrom("unique_key").where("resource_id", "=", parameter("id")),
);

/** The object that holds a unique key. */
export const holderOf = statement<
  { scope: string; value: string },
  { id: string; kind: string; owner_id: string }
>((db, parameter) =>
  db
    .selectFrom("unique_key")
    .innerJoin("resource", "resource.id", "unique_key.resource_id")
    .select(["id", "kind", "owner_id"])
    .where("scope", "=", parameter("scope"))
    .where("value", "=", parameter("value")),
);

const insertUniqueKey = insertion("unique_key", ["scope", "value", "resource_id"]);

// An error names only a few of them; a list shows the rest.
const USERS_SHOWN = 5;

/** The first few objects that refer to this one, and so prevent its deletion. */
export async function usersOf(transaction: Kysely<Database>, id: string): Promise<string[]> {
  const rows = await firstUsers(transaction, { id });
  const users = rows.map((row) => `${definitionNamed(row.kind).title} ${row.id} (${row.field})`);
  return users.length > USERS_SHOWN ? [...users.slice(0, USERS_SHOWN), "and others"] : users;
}

const firstUsers = statement<{ id: string }, { id: string; kind: string; field: string }>((db, parameter) =>
  db
    .selectFrom("reference")
    .innerJoin("resource", "resource.id", "reference.from_id")
    .select(["resource.id", "resource.kind", "reference.field"])
    .where("to_id", "=", parameter("id"))
    .where("cascades", "=", 0)
    .limit(USERS_SHOWN + 1),
);

/** The children that are deleted together with an object. */
export const childrenOf = statement<{ id: string }, Database["resource"]>((db, parameter) =>
  db
    .selectFrom("reference")
    .innerJoin("resource", "resource.id", "reference.from_id")
    .selectAll("resource")
    .where("to_id", "=", parameter("id"))
    .where("cascades", "=", 1)
    .orderBy("resource.id"),
);

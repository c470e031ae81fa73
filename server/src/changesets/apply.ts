import { pathFieldsOf } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import { embeddedListOf } from "../documents";
import { parentOf, takeTurnOfAll, touchParent, updateDocument } from "../resources";
import { bulkInsertion, type Database, insertion, isListed, type Statement, statement } from "../storage";
import { takeTurn } from "../util";
import { briefRows, holdersOf, lockRows, lockSet, setsOf, usersOfAll } from "./facts";
import type { Faults } from "./faults";
import type { Plan } from "./plan";
import { type Child, parentIds } from "./prepare";

/** Something that the plan has read changed since; plan again. */
export class Moved extends Error {}

/** The set whose plan is carried out. */
export interface Target {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  /** 0 for a new set. */
  readonly version: number;
}

/**
 * Carries out a plan, if all that it rests on is still so. All that could be done beforehand was: on SQLite,
 * other writers wait until this ends.
 * @throws Moved
 */
export async function carryOut(
  transaction: Kysely<Database>,
  target: Target,
  plan: Plan,
  faults: Faults,
): Promise<void> {
  const parents = [...new Set(plan.rows.children.flatMap(parentIds))];
  await requireUnmoved(transaction, target, plan, parents);
  const { rows, going, places } = plan;
  await inParts([...going, ...rows.otherReferences], (ids) => deleteReferences(transaction, { ids }));
  await inParts([...going, ...rows.otherKeys], (ids) => deleteUniqueKeys(transaction, { ids }));
  await inParts(going, (ids) => deleteResources(transaction, { ids }));
  await insertResources(transaction, rows.resources, takeTurn);
  for (const row of rows.updates) {
    await updateDocument(transaction, row);
    await takeTurn();
  }
  await insertReferences(transaction, rows.references, takeTurn);
  await insertUniqueKeys(
    transaction,
    rows.uniqueKeys.toSorted((a, b) => (a.value < b.value ? -1 : 1)),
    takeTurn,
  );
  await insertToldSecrets(transaction, rows.toldSecrets, takeTurn);
  await insertSealedSecrets(transaction, rows.sealedSecrets, takeTurn);
  await touchParents(transaction, plan, faults);

  if (target.version === 0)
    await insertSet(transaction, { ...columnsOf(target), version: 1, created_at: new Date().toISOString() });
  else if (plan.changes.length > 0 || places.length > 0)
    await updateSet(transaction, { id: target.id, version: target.version + 1 });
  await inParts(
    places.map(({ id }) => id),
    (ids) => deletePlaces(transaction, { ids }),
  );
  const placed = places.map(({ id, definition, key, declared }) => ({
    ...{
      resource_id: id,
      changeset_id: target.id,
      kind: definition.kind,
      key,
      declared: JSON.stringify(declared),
    },
  }));
  await insertPlaces(transaction, placed, takeTurn);
}

const columnsOf = ({ id, name, ownerId }: Target) => ({ id, name, owner_id: ownerId });

/** Locks what is about to change, and compares all that the plan rests on. */
async function requireUnmoved(
  transaction: Kysely<Database>,
  target: Target,
  plan: Plan,
  parents: readonly string[],
): Promise<void> {
  const { facts, rows, going } = plan;
  if (plan.nests) await takeTurnOfAll(transaction);
  const [set] = await lockSet(transaction, { name: target.name });
  const changing = new Set([...parents, ...going, ...rows.updates.map(({ id }) => id)]);
  const found = await lockRows(transaction, [...changing]);
  found.push(
    ...(await briefRows(
      transaction,
      [...facts.versions.keys()].filter((id) => !changing.has(id)),
    )),
  );
  const versions = new Map(found.map(({ id, version }) => [id, version]));
  const joined = await setsOf(transaction, facts.adopted);
  const users = await usersOfAll(transaction, facts.goingIds);
  const holders = await holdersOf(transaction, facts.claimed);
  const isMoved =
    (set?.version ?? 0) !== target.version ||
    [...facts.versions].some(([id, version]) => (versions.get(id) ?? null) !== version) ||
    joined.length > 0 ||
    textOf(users) !== textOf(facts.users) ||
    textOf(holders) !== textOf(facts.holders);
  if (isMoved) throw new Moved();
}

const textOf = (rows: readonly object[]): string =>
  rows
    .map((row) => JSON.stringify(row))
    .sort()
    .join("\n");

/** Counts up the versions of parents that show what changed, each once, and checks how much they show. */
async function touchParents(
  transaction: Kysely<Database>,
  { rows, going }: Plan,
  faults: Faults,
): Promise<void> {
  const made = new Set(rows.resources.map(({ id }) => id));
  const gone = new Set(going);
  const byParent = new Map<string, Child[]>();
  for (const child of rows.children)
    for (const id of parentIds(child)) {
      const children = byParent.get(id) ?? [];
      if (!gone.has(id)) byParent.set(id, children);
      children.push(child);
    }
  for (const [id, children] of byParent) {
    const grown = children.find(({ bytes }) => bytes > 0);
    const child = grown ?? (children[0] as Child);
    const bytes = children.reduce((sum, one) => sum + one.bytes, 0);
    // Objects that are created here show their children from their first version on.
    if (made.has(id) && bytes <= mostBytes(child)) continue;
    try {
      await touchParent(transaction, child.definition, child.sent, grown !== undefined);
    } catch (refusal) {
      faults.addRefusal(child.name, refusal);
    }
    await takeTurn();
  }
  faults.refuse();
}

const mostBytes = ({ definition }: Child): number =>
  Math.min(
    ...pathFieldsOf(definition).map(
      (field) => embeddedListOf(parentOf(definition, field))?.bytes ?? Number.POSITIVE_INFINITY,
    ),
  );

/** Ids that one statement deletes. */
const AT_ONCE = 500;

async function inParts(ids: readonly string[], run: (part: string) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    await run(JSON.stringify(ids.slice(start, start + AT_ONCE)));
    await takeTurn();
  }
}

type ByIds = Statement<{ ids: string }, unknown>;

const deleteReferences: ByIds = statement((db, parameter) =>
  db.deleteFrom("reference").where(isListed(db, "from_id", parameter("ids"))),
);

const deleteUniqueKeys: ByIds = statement((db, parameter) =>
  db.deleteFrom("unique_key").where(isListed(db, "resource_id", parameter("ids"))),
);

const deleteResources: ByIds = statement((db, parameter) =>
  db.deleteFrom("resource").where(isListed(db, "id", parameter("ids"))),
);

const deletePlaces: ByIds = statement((db, parameter) =>
  db.deleteFrom("changeset_object").where(isListed(db, "resource_id", parameter("ids"))),
);

const insertResources = bulkInsertion("resource", ["id", "kind", "owner_id", "version", "document"]);
const insertReferences = bulkInsertion("reference", ["from_id", "to_id", "field", "cascades"]);
const insertUniqueKeys = bulkInsertion("unique_key", ["scope", "value", "resource_id"]);
const insertToldSecrets = bulkInsertion("told_secret", ["resource_id", "hash"]);
const insertSealedSecrets = bulkInsertion("sealed_secret", ["resource_id", "name", "value"]);
const insertPlaces = bulkInsertion("changeset_object", [
  "resource_id",
  "changeset_id",
  "kind",
  "key",
  "declared",
]);
const insertSet = insertion("changeset", ["id", "name", "owner_id", "version", "created_at"]);

const updateSet = statement<{ id: string; version: number }, unknown>((db, parameter) =>
  db
    .updateTable("changeset")
    .set({ version: parameter("version") })
    .where("id", "=", parameter("id")),
);

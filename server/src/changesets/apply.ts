import { pathFieldsOf, present } from "@tunnelplane/sdk/contract";
import { embeddedListOf, noteRenames, setNames, textIn } from "../documents";
import type { ObjectChange } from "../journal";
import {
  deleteResources,
  forgetEnds,
  forgetReferences,
  forgetUniqueKeys,
  insertEnds,
  insertReferences,
  insertResources,
  insertSealedSecrets,
  insertSecretHashes,
  insertUniqueKeys,
  lockAllNesting,
  parentOf,
  refuseFromReplaced,
  refuseLoosening,
  type ServerContext,
  takeOver,
  touchParent,
  updateDocument,
} from "../resources";
import {
  bulkInsertion,
  type Database,
  effect,
  inParts,
  insertion,
  isListed,
  statement,
  type Transaction,
} from "../storage";
import { grouped, yieldToEventLoop } from "../util";
import { lockSet } from "./facts";
import type { Faults } from "./faults";
import type { Plan } from "./plan";
import { type Child, parentIds } from "./prepare";

/** Something that the plan has read changed since; plan again. */
export class PlanOutdated extends Error {}

/** The set whose plan is carried out. */
export type TargetSet = Omit<Database["changeset"], "version" | "created_at"> & {
  /** 0 for a new set. */
  readonly version: number;
};

/** What the work on a plan needs, and notes. */
interface Work extends Pick<ServerContext, "documents"> {
  readonly faults: Faults;
  /** Takes changes that follow from those of the plan. */
  readonly changes: ObjectChange[];
}

/**
 * Carries out a plan, if everything that it depends on is unchanged. All possible work was done before,
 * because on SQLite other writers wait until this ends.
 *
 * @throws PlanOutdated
 */
export async function carryOut(
  transaction: Transaction,
  target: TargetSet,
  plan: Plan,
  { faults, documents, changes }: Work,
): Promise<void> {
  const parents = [...new Set(plan.rows.children.flatMap(parentIds))];
  const { rows, deletedIds, places } = plan;
  if (plan.nests) await lockAllNesting(transaction);
  const [set] = await lockSet(transaction, target);
  const others = [...rows.updates, ...rows.namings].map(({ id }) => id);
  const changing = new Set([...parents, ...deletedIds, ...others]);
  const holds = await plan.facts.stillHold(transaction, changing);
  if ((set?.version ?? 0) !== target.version || !holds) throw new PlanOutdated();
  await refuseKeptParts(transaction, plan, faults);
  await forgetReferences(transaction, [...deletedIds, ...rows.otherReferences]);
  await forgetUniqueKeys(transaction, [...deletedIds, ...rows.otherKeys]);
  await forgetEnds(transaction, rows.otherEnds);
  await deleteResources(transaction, deletedIds);
  await insertResources(transaction, rows.resources);
  for (const row of rows.updates) {
    await updateDocument(transaction, row);
    await yieldToEventLoop();
  }
  await setNames(transaction, rows.namings);
  await insertReferences(transaction, rows.references);
  await insertUniqueKeys(transaction, rows.uniqueKeys);
  await takeOver({ documents }, transaction, changes, deletedIds);
  await insertSecretHashes(transaction, rows.secretHashes);
  await insertSealedSecrets(transaction, rows.sealedSecrets);
  await insertEnds(transaction, rows.ends);
  await touchParents(transaction, plan, faults);

  if (target.version === 0)
    await insertSet(transaction, { ...target, version: 1, created_at: new Date().toISOString() });
  else if (plan.changes.length > 0 || places.length > 0)
    await updateSet(transaction, { id: target.id, version: target.version + 1 });
  await inParts(
    places.map(({ id }) => id),
    (ids) => deletePlaces(transaction, { ids }),
  );
  const placed = places.map(({ id, definition, key, declared }) => ({
    resource_id: id,
    changeset_id: target.id,
    kind: definition.kind,
    key,
    declared: JSON.stringify(declared),
  }));
  await insertPlaces(transaction, placed);
  if (rows.namings.length > 0) await noteRenames(transaction);
}

/** Refuses to take a part from an object that another one waits for, as single requests do. */
async function refuseKeptParts(
  transaction: Transaction,
  { changes, deletedIds, names }: Plan,
  faults: Faults,
): Promise<void> {
  const gone = new Set(deletedIds);
  for (const { id, definition, before, after } of changes) {
    if (!before) continue;
    const refuse = (refusal: unknown) => faults.addRefusal(names.get(id) ?? id, refusal);
    if (after) {
      await refuseLoosening(transaction, definition, id, { before, after }).catch(refuse);
      continue;
    }
    const above = pathFieldsOf(definition).map((field) => [field, textIn(before, field)] as const);
    if (above.length === 0 || above.some(([, whole]) => gone.has(whole))) continue;
    const at = { ...Object.fromEntries(above), id };
    await refuseFromReplaced(transaction, definition, at, false).catch(refuse);
  }
  faults.refuse();
}

/**
 * Counts up the versions of parents that show changed children, each once, and checks the size of what they
 * show.
 */
async function touchParents(
  transaction: Transaction,
  { rows, deletedIds }: Plan,
  faults: Faults,
): Promise<void> {
  const made = new Set(rows.resources.map(({ id }) => id));
  const gone = new Set(deletedIds);
  const pairs = rows.children.flatMap((child) => parentIds(child).map((id) => ({ id, child })));
  const staying = pairs.filter(({ id }) => !gone.has(id));
  for (const [id, some] of grouped(staying, (pair) => pair.id)) {
    const children = some.map(({ child }) => child);
    const grown = children.find(({ bytes }) => bytes > 0);
    const child = present(grown ?? children[0]);
    const bytes = children.reduce((sum, one) => sum + one.bytes, 0);
    // Objects that are created here show their children from their first version on.
    if (made.has(id) && bytes <= mostBytes(child)) continue;
    try {
      await touchParent(transaction, child.definition, child.sent, grown !== undefined);
    } catch (refusal) {
      faults.addRefusal(child.name, refusal);
    }
    await yieldToEventLoop();
  }
  faults.refuse();
}

const mostBytes = ({ definition }: Child): number =>
  Math.min(
    ...pathFieldsOf(definition).map(
      (field) => embeddedListOf(parentOf(definition, field))?.bytes ?? Number.POSITIVE_INFINITY,
    ),
  );

const deletePlaces = effect<{ ids: string }>((db, parameter) =>
  db.deleteFrom("changeset_object").where(isListed(db, "resource_id", parameter("ids"))),
);

const insertPlaces = bulkInsertion("changeset_object", [
  "resource_id",
  "changeset_id",
  "kind",
  "key",
  "declared",
]);
const insertSet = insertion("changeset", ["id", "name", "owner_id", "version", "created_at", "project_id"]);

const updateSet = statement<{ id: string; version: number }, unknown>((db, parameter) =>
  db
    .updateTable("changeset")
    .set({ version: parameter("version") })
    .where("id", "=", parameter("id")),
);

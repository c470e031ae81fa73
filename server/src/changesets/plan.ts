import {
  definitionNamed,
  definitionOfId,
  MAX_SET_OBJECTS,
  present,
  seesAll,
} from "@tunnelplane/sdk/contract";
import { type ObjectChange, storedAsOf } from "../journal";
import { nests, type PendingDelete } from "../resources";
import { inOrder } from "../util";
import { isSeenBy } from "../view";
import { checkAll } from "./checks";
import { allReferrersOf, type MemberRow, membersOf, PlanFacts, setsOf } from "./facts";
import { REQUEST } from "./faults";
import { type Item, identify, itemsOf, memberItem, nameOf, undeclaredMembers } from "./items";
import { type ObjectOperation, operationOf } from "./operations";
import { load, type Planning } from "./planning";
import { isEmbedded, prepare, type Rows } from "./prepare";
import { orderedByReferences, replaceWhatMust } from "./replacements";
import type { ChangeSetRequest } from "./request";

const REPLACED = "has to be replaced, because a field changes that is set at creation only, but ";

/** The operations of an apply. */
export interface Plan {
  readonly operations: readonly ObjectOperation[];
  /** The operations with the ids and tokens of new objects. */
  readonly results: readonly ObjectOperation[];
  readonly rows: Rows;
  /** Ids of stored objects to delete: they left the set, or are replaced. */
  readonly deletedIds: readonly string[];
  /** The objects whose entries in the set change. */
  readonly places: readonly Item[];
  /** In the order of their events. */
  readonly changes: readonly ObjectChange[];
  readonly facts: Planning["facts"];
  /** The objects that change, by id: `tls_edge/app`. */
  readonly names: ReadonlyMap<string, string>;
  /** Whether objects change that may contain others. */
  readonly nests: boolean;
  /** The names of objects that left the set. */
  readonly deleted: readonly string[];
}

type Scope = Pick<Planning, "context" | "caller" | "reader" | "dryRun" | "gone">;

/**
 * Finds the operations that bring a set to the declared state. Only reads; notes every fault of the request.
 */
export async function planOf(
  scope: Scope,
  request: ChangeSetRequest,
  setId: string | undefined,
): Promise<Plan> {
  const { planning, identified, deleted } = await readStored(scope, request, setId);
  const wanted = await itemsOf(planning, identified);
  if (request.mode === "merge") refuseLostKeys(planning, wanted);

  const { items, moved } = await settle(planning, wanted);
  const toDelete = goingOf(deleted, items);
  await checkAll(planning, items, toDelete);
  const prepared = await prepare(planning, items);
  const newNames = new Map(items.filter(({ old, id }) => old?.id !== id).map(({ id, name }) => [id, name]));
  const operations = items.flatMap((item) => {
    const operation = operationOf(item, prepared.updated.has(item), newNames);
    return operation ? [{ item, operation }] : [];
  });
  const deletions = orderedDeletions(planning, deleted);
  const deleteOperations = deletions.map(
    ({ kind, key, resource_id }): ObjectOperation => ({
      op: "delete",
      kind,
      key,
      id: resource_id,
      changes: [],
    }),
  );
  noteChildren(planning, prepared.rows, items, deletions);
  return {
    rows: prepared.rows,
    operations: [...operations.map(({ operation }) => operation), ...deleteOperations],
    results: [
      ...operations.map(({ item, operation }) => ({
        ...operation,
        id: item.id,
        ...prepared.oneTime.get(item.id),
      })),
      ...deleteOperations,
    ],
    deletedIds: toDelete.map(({ id }) => id),
    places: items
      .filter((item) => item.isWanted && isOtherPlace(item))
      .concat(items.filter((item) => !item.isWanted && item.isReplaced)),
    changes: [...prepared.changes, ...goneChanges(planning, deletions, moved)],
    facts: planning.facts,
    names: new Map([
      ...items.map(({ id, name }) => [id, name] as const),
      ...toDelete.map(({ id, name }) => [id, name] as const),
    ]),
    nests: items.some(({ definition }) => nests(definition)),
    deleted: deletions.map(nameOf),
  };
}

/** Reads what is stored of the objects of a set. */
async function readStored(scope: Scope, request: ChangeSetRequest, setId: string | undefined) {
  const { faults, mode } = request;
  const members = setId === undefined ? [] : await membersOf(scope.reader, { set: setId });
  const identified = identify(request.objects, members);
  const ids = new Set(
    [...identified.values()].flatMap((found) =>
      found === undefined ? [] : typeof found === "string" ? found : found.resource_id,
    ),
  );
  // Objects that the request names stay, even if the rest of it cannot be read.
  const undeclared = undeclaredMembers(members, ids).filter((member) => !faults.has(nameOf(member)));
  const count = request.objects.length + (mode === "merge" ? undeclared.length : 0);
  if (count > MAX_SET_OBJECTS)
    faults.add(REQUEST, {
      error: "invalid_field",
      path: ["objects"],
      message: `would make ${count} objects in the set; a set is read as a whole and has at most ${MAX_SET_OBJECTS}, so declare the others in another set`,
    });
  const planning: Planning = {
    ...scope,
    documents: scope.context.documents,
    mode,
    faults,
    loaded: new Map(),
    undeclared,
    facts: new PlanFacts(scope.reader),
  };
  const stored = [...identified].flatMap(([{ definition }, found]) =>
    found === undefined ? [] : [{ definition, id: typeof found === "string" ? found : found.resource_id }],
  );
  const deleted = mode === "own" ? undeclared.filter((member) => isVisible(planning, member)) : [];
  await load(planning, [
    ...stored,
    ...deleted.map(({ kind, resource_id }) => ({ definition: definitionNamed(kind), id: resource_id })),
  ]);
  await refuseOtherSets(planning, identified);
  return { planning, identified, deleted };
}

/** What would leave: objects that the request leaves out, and replaced ones. */
const goingOf = (deleted: readonly MemberRow[], items: readonly Item[]): PendingDelete[] => [
  ...deleted.map((member) => ({
    id: member.resource_id,
    name: nameOf(member),
    words: "would be deleted, but ",
  })),
  ...items.flatMap(({ old, name, isReplaced }) =>
    old && isReplaced ? { id: old.id, name, isReplaced, words: REPLACED } : [],
  ),
];

/** Notes the objects that stand inside others and go. */
function noteChildren(
  planning: Planning,
  rows: Rows,
  items: readonly Item[],
  deletions: readonly MemberRow[],
): void {
  for (const member of deletions) {
    const definition = definitionNamed(member.kind);
    const before = planning.loaded.get(member.resource_id)?.before;
    if (before && isEmbedded(definition))
      rows.children.push({
        name: nameOf(member),
        definition,
        sent: planning.documents.sentOf(definition, before),
        bytes: 0,
      });
  }
  for (const { name, definition, amendment, isReplaced } of items)
    if (isReplaced && amendment && isEmbedded(definition))
      rows.children.push({ name, definition, sent: amendment.sentBefore, bytes: 0 });
}

const isVisible = ({ caller }: Planning, member: MemberRow): boolean =>
  isSeenBy(caller, definitionNamed(member.kind), member);

async function refuseOtherSets(
  { reader, faults, facts, loaded, caller }: Planning,
  identified: ReturnType<typeof identify>,
): Promise<void> {
  const adopted = new Map(
    [...identified].flatMap(([wanted, found]) =>
      typeof found === "string" ? [[found, wanted.name] as const] : [],
    ),
  );
  facts.adopted.push(...adopted.keys());
  for (const { resource_id: id, name } of await setsOf(reader, [...adopted.keys()])) {
    const old = loaded.get(id);
    const definition = definitionOfId(id);
    if (!old || !definition || !isSeenBy(caller, definition, old)) continue; // does not exist for this caller
    const other = seesAll(caller.role) ? `the change set ${name}` : "another change set";
    const message = `names ${id}, which belongs to ${other}; release it there, or declare it there`;
    faults.add(present(adopted.get(id)), { error: "in_other_set", path: ["id"], message });
  }
  const seen = new Set<string>();
  for (const [{ id, name }] of identified) {
    if (id !== undefined && seen.has(id))
      faults.add(name, {
        error: "invalid_field",
        path: ["id"],
        message: `names ${id}, as another object does; name each once`,
      });
    if (id !== undefined) seen.add(id);
  }
}

/** Refuses a member whose key goes to another object, if it gets no other key itself. */
function refuseLostKeys({ undeclared, faults }: Planning, items: readonly Item[]): void {
  const left = new Map(undeclared.map((member) => [nameOf(member), member]));
  for (const { name } of items) {
    const member = left.get(name);
    if (member)
      faults.add(name, {
        error: "taken",
        path: ["key"],
        message: `is the key of ${member.resource_id} in this set; give that another key in the same request`,
      });
  }
}

/**
 * Replaces objects that must be replaced, and members outside of the request that have to follow, until none
 * is left.
 */
async function settle(
  planning: Planning,
  wanted: readonly Item[],
): Promise<{ items: readonly Item[]; moved: Map<string, string> }> {
  const members = new Map(
    planning.mode === "merge" ? planning.undeclared.map((member) => [member.resource_id, member]) : [],
  );
  let items = [...wanted];
  for (;;) {
    const ordered = orderedByReferences(
      planning,
      items.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    );
    const moved = await replaceWhatMust(planning, ordered);
    if (moved.size === 0 || members.size === 0) return { items: ordered, moved };
    const referrers = await allReferrersOf(planning.reader, [...moved.keys()]);
    const known = new Set(items.map(({ old }) => old?.id));
    const more = [...new Set(referrers.map(({ from_id }) => from_id))].flatMap((id) =>
      known.has(id) ? [] : (members.get(id) ?? []),
    );
    if (more.length === 0) return { items: ordered, moved };
    await load(
      planning,
      more.map(({ kind, resource_id }) => ({ definition: definitionNamed(kind), id: resource_id })),
    );
    const following = more.flatMap((member) => memberItem(planning, member) ?? []);
    if (following.length === 0) return { items: ordered, moved };
    items = [...items, ...following];
  }
}

/** The objects to delete; those that refer to others come first. */
function orderedDeletions({ loaded, documents }: Planning, deleted: readonly MemberRow[]): MemberRow[] {
  const byId = new Map(deleted.map((member) => [member.resource_id, member]));
  const targetsIn = (value: unknown): MemberRow[] => {
    if (typeof value === "string") return definitionOfId(value) ? [byId.get(value) ?? []].flat() : [];
    return value !== null && typeof value === "object"
      ? [...Object.keys(value), ...Object.values(value)].flatMap(targetsIn)
      : [];
  };
  const targetsOf = (member: MemberRow) => {
    const before = loaded.get(member.resource_id)?.before;
    return before
      ? targetsIn(documents.sentOf(definitionNamed(member.kind), before)).filter(
          (target) => target !== member,
        )
      : [];
  };
  return inOrder(deleted, targetsOf).reverse();
}

/** Refuses more deletions than a request allows. */
export function refuseDeletions({ deleted }: Plan, { faults, maxDeletes }: ChangeSetRequest): void {
  if (maxDeletes === undefined || deleted.length <= maxDeletes) return;
  const inAll = deleted.length === 1 ? "one object" : `${deleted.length} objects`;
  const message = `left the set and would be deleted: ${inAll} in all, and \`max_deletes\` allows ${maxDeletes}; declare it, or allow that many`;
  for (const name of deleted) faults.add(name, { error: "too_many_deletes", path: [], message });
}

/** The changes for objects that go: those that are replaced, and those that left the set. */
function goneChanges(
  { loaded }: Planning,
  deletions: readonly MemberRow[],
  moved: ReadonlyMap<string, string>,
): ObjectChange[] {
  return [...[...moved.keys()].reverse(), ...deletions.map(({ resource_id }) => resource_id)].flatMap(
    (id): ObjectChange[] => {
      const old = loaded.get(id);
      const definition = definitionOfId(id);
      if (!old || !definition) return [];
      return [{ change: "deleted", definition, id, storedAs: storedAsOf(old), before: old.before }];
    },
  );
}

/** Whether the entry of an object in the set changes. */
function isOtherPlace({ member, key, declared, id }: Item): boolean {
  return (
    !member || member.resource_id !== id || member.key !== key || member.declared !== JSON.stringify(declared)
  );
}

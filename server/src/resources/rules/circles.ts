import {
  type Definition,
  definitionOfId,
  marksOf,
  oncePer,
  targetsOf,
  withArticle,
} from "@tunnelplane/sdk/contract";
import type { Document } from "../../documents";
import { PLACEHOLDER, statement, type Transaction } from "../../storage";
import { inOrder } from "../../util";
import type { Existing } from "./existing";
import type { FaultList, PendingWrite } from "./pending";

/** The fields through which objects of a type may contain each other. */
const nestingFields = oncePer((definition: Definition): string[] =>
  Object.entries(definition.fields)
    .filter(([, field]) => targetsOf(marksOf(field).reference?.to ?? []).includes(definition))
    .map(([name]) => name),
);

/** Whether objects of a type may contain each other. */
export const nests = (definition: Definition | undefined): boolean =>
  definition !== undefined && nestingFields(definition).length > 0;

/**
 * Lets only one writer at a time change what objects contain: two writers could each add one half of a circle
 * without seeing the other. Lock this before any object, so that writers do not deadlock.
 */
export async function lockNesting(
  transaction: Transaction,
  definition: Definition,
  changes: Document,
): Promise<void> {
  if (nestingFields(definition).some((field) => field in changes)) await lockAllNesting(transaction);
}

/** The same for a change of any number of objects. */
export const lockAllNesting = (transaction: Transaction): Promise<unknown> =>
  lockRow(transaction, { name: PLACEHOLDER });

/** Every database has this row from its first start on. */
const lockRow = statement<{ name: string }, unknown>((db, parameter) =>
  db.selectFrom("setting").select("name").where("name", "=", parameter("name")).forUpdate(),
);

/** Limits of what is read to find circles. No sensible tree is larger. */
const MAX_DEPTH = 1_000;
const TARGETS_OF_EACH = 10;

/**
 * Finds objects that would contain themselves, directly or through others, and names the circle.
 * @param most limit of objects that are followed
 */
export async function checkCircles(
  existing: Existing,
  writes: readonly PendingWrite[],
  faults: FaultList,
  most: number,
): Promise<void> {
  const nesting = writes.filter(({ definition }) => nests(definition));
  // Sorted, so that a circle begins with the same object whatever the order of the request.
  const byName = nesting.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const objects = new Map(byName.map((object) => [object.id, object]));
  const [first] = objects.values();
  if (!first) return;
  const contained = new Map(
    [...objects.values()].map(({ id, references }) => [id, references.map((reference) => reference.id)]),
  );
  const members = new Set(writes.map(({ id }) => id));
  const furtherOnes = (ids: readonly string[]) =>
    [...new Set(ids)].filter((id) => !members.has(id) && !contained.has(id) && nests(definitionOfId(id)));
  const mostTargets = TARGETS_OF_EACH * most;
  let level = furtherOnes([...contained.values()].flat());
  let [depth, followed, targets] = [0, 0, 0];
  while (level.length > 0) {
    depth++;
    followed += level.length;
    if (depth > MAX_DEPTH || followed > most || targets > mostTargets) {
      const limit = depth > MAX_DEPTH ? `nested more than ${MAX_DEPTH} deep` : `more than ${most} of them`;
      const message = `leads to backends that contain others, ${limit}; nest fewer`;
      return faults.add(first.name, { error: "invalid_field", path: [], message });
    }
    for (const id of level) contained.set(id, []);
    const rows = await existing.targetsOf(level, mostTargets + 1);
    targets += rows.length;
    for (const { from_id, to_id } of rows) contained.get(from_id)?.push(to_id);
    level = furtherOnes(level.flatMap((id) => contained.get(id) ?? []));
  }
  inOrder(
    [...contained.keys()],
    (id) => (contained.get(id) ?? []).filter((target) => contained.has(target)),
    (circle) => {
      const object = circle.map((id) => objects.get(id)).find((one) => one !== undefined);
      if (!object) return; // a stored circle: not of this request
      const way = wayRound(circle.map((id) => objects.get(id)?.name ?? id));
      const next = circle[circle.indexOf(object.id) + 1];
      const path = object.references.find(({ id }) => id === next)?.path ?? [];
      const message = `makes a circle: ${way}; ${withArticle(object.definition.title)} may not contain itself, so leave one of these out`;
      faults.add(object.name, { error: "invalid_field", path, message });
    },
  );
}

/**
 * A message shows only this many members of each end of a longer circle: with keys of 255 bytes, all 5,000
 * made a message of 2.7 MB.
 */
const MEMBERS_SHOWN = 5;

/** A circle in words: `a → b → a`. @param members in their order, the first one again at the end */
function wayRound(members: readonly string[]): string {
  const count = members.length - 1;
  if (count <= 2 * MEMBERS_SHOWN) return members.join(" → ");
  const ends = [
    members.slice(0, MEMBERS_SHOWN),
    [`… (${count} in all) …`],
    members.slice(-MEMBERS_SHOWN - 1, -1),
    members.slice(-1),
  ];
  return ends.flat().join(" → ");
}

import { type Caller, projectOfNew, refuseForeignOwner } from "../auth";
import {
  checkCircles,
  checkKinds,
  checkReferrers,
  checkTargets,
  checkUniqueKeys,
  type PendingDelete,
  type PendingWrite,
} from "../resources";
import { type Item, isMissing } from "./items";
import type { Planning } from "./planning";

/** Limit of backends outside of the set that those of the set may lead to. */
const MAX_CONTAINED = 100_000;

/** Checks the objects to write against the stored ones, by the rules for every write. */
export async function checkAll(
  { faults, facts, reader, caller }: Planning,
  items: readonly Item[],
  deletes: readonly PendingDelete[],
): Promise<void> {
  const writes = items.map((item) => pendingWriteOf(item, caller));
  await checkReferrers(facts, writes, deletes, faults);
  checkKinds(writes, faults);
  await checkTargets(facts, writes, faults, caller);
  const made = new Set<unknown>(items.map(({ id }) => id));
  for (const { name, old, isReplaced, sent } of items)
    if ((!old || isReplaced) && !made.has(sent.owner_id))
      await refuseForeignOwner(reader, sent.owner_id, caller).catch((refusal: unknown) =>
        faults.addRefusal(name, refusal),
      );
  await checkUniqueKeys(facts, writes, deletes, faults, caller);
  await checkCircles(facts, writes, faults, MAX_CONTAINED);
}

/** A missing object that a reference names is a fault already. */
const pendingWriteOf = (
  { id, name, definition, old, sent, references, isReplaced, amendment }: Item,
  caller: Caller,
): PendingWrite => ({
  id,
  project: old && !isReplaced ? old.project_id : projectOfNew(definition, sent, caller),
  name,
  definition,
  sent,
  before: isReplaced ? undefined : amendment?.sentBefore,
  references: references.filter((reference) => !isMissing(reference.id)),
});

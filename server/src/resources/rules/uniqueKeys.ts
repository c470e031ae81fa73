import { definitionOfId, type UniqueKey } from "@tunnelplane/sdk/contract";
import { type Caller, isHidden } from "../../auth";
import { yieldToEventLoop } from "../../util";
import type { Existing } from "./existing";
import type { FaultList, PendingDelete, PendingWrite } from "./pending";

/**
 * Finds values that must be unique and that two objects would hold: two that the write stores, or one of
 * those and one that stays.
 */
export async function checkUniqueKeys(
  existing: Existing,
  writes: readonly PendingWrite[],
  deletes: readonly PendingDelete[],
  faults: FaultList,
  caller: Caller,
): Promise<void> {
  const firstHolders = new Map<string, PendingWrite>();
  const claims: { object: PendingWrite; claim: UniqueKey }[] = [];
  const newIds = new Set(writes.filter(({ before }) => before === undefined).map(({ id }) => id));
  for (const [index, object] of writes.entries()) {
    if (index > 0) await yieldToEventLoop(); // a single write must not hold the database over a turn of others
    if (faults.has(object.name)) continue;
    const { name, definition, sent, before } = object;
    const held = new Set(before && definition.unique(before).map(textOf));
    for (const claim of definition.unique(sent)) {
      const { path, taken, scope } = claim;
      const first = firstHolders.get(textOf(claim));
      if (first) faults.add(name, { error: "taken", path, message: `${taken} (${first.name})` });
      else firstHolders.set(textOf(claim), object);
      // Below a new object, no object holds a value yet.
      const isBelowNew = newIds.has(scope.split(" ").at(-1) ?? "");
      if (!held.has(textOf(claim)) && !isBelowNew) claims.push({ object, claim });
    }
  }
  const holders = new Map(
    (await existing.holdersOf(claims.map(({ claim }) => claim))).map((row) => [
      textOf({ scope: row.scope, key: row.value }),
      row,
    ]),
  );
  // A holder that is written too gives the value up, or the loop above has found that both claim it.
  const freed = new Set([...deletes, ...writes].map(({ id }) => id));
  for (const { object, claim } of claims) {
    const holder = holders.get(textOf(claim));
    if (!holder || freed.has(holder.id)) continue;
    const definition = definitionOfId(holder.id) ?? object.definition;
    if (holder.project_id !== object.project) {
      faults.add(object.name, { error: "taken", path: claim.path, message: ELSEWHERE });
      continue;
    }
    const name = isHidden(definition, holder, caller) ? "" : ` (${holder.id})`;
    faults.add(object.name, { error: "taken", path: claim.path, message: claim.taken + name });
  }
}

const ELSEWHERE = "is taken in another project; choose another";

const textOf = ({ scope, key }: Pick<UniqueKey, "scope" | "key">): string => `${scope} ${key}`;

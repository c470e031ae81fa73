import { definitionNamed } from "@tunnelplane/sdk/contract";
import { grouped } from "../../util";
import type { Existing, ReferrerRow } from "./existing";
import type { FaultList, PendingDelete, PendingWrite } from "./pending";

/** Finds objects that may not be deleted because others that stay refer to them, or belong to them. */
export async function checkReferrers(
  existing: Existing,
  writes: readonly PendingWrite[],
  deletes: readonly PendingDelete[],
  faults: FaultList,
): Promise<void> {
  const deletesById = new Map(deletes.map((one) => [one.id, one]));
  const staying = new Set(writes.map(({ id }) => id));
  const others = (await existing.referrersOf([...deletesById.keys()])).filter(
    ({ from_id: id }) => !deletesById.has(id) && !staying.has(id),
  );
  for (const [id, referrers] of grouped(others, ({ to_id }) => to_id)) {
    const one = deletesById.get(id);
    if (!one) continue;
    const children = referrers.filter(({ cascades }) => cascades === 1);
    const why =
      children.length > 0
        ? `${listOf(children)} would be deleted with it; declare that in the same set, or delete it first`
        : `is still in use by ${listOf(referrers)}; remove it there first`;
    faults.add(one.name, { error: "in_use", path: [], message: one.words + why });
  }
  for (const { name, references } of writes)
    for (const { id, path } of references) {
      const gone = deletesById.get(id);
      if (!gone || gone.isReplaced) continue;
      const message = `names ${id} (${gone.name}), which this request would delete, because it leaves it out; declare it, or do not refer to it`;
      faults.add(name, { error: "missing_target", path, message });
    }
}

const MAX_LISTED = 5;

/** Whether an error names a referrer; of others it says only that another project has some. */
const isNamed = (kind: string, from: string, to: string): boolean =>
  from === to || definitionNamed(kind).kind === "membership";

function listOf(referrers: readonly ReferrerRow[]): string {
  const own = referrers.filter(({ kind, from_project, to_project }) =>
    isNamed(kind, from_project, to_project),
  );
  const listed = own
    .slice(0, MAX_LISTED)
    .map(({ kind, from_id, field }) => `${definitionNamed(kind).title} ${from_id} (${field})`);
  return [
    ...listed,
    ...(own.length > MAX_LISTED ? ["and others"] : []),
    ...(own.length < referrers.length ? ["another project"] : []),
  ].join(", ");
}

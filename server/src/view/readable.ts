import { type Definition, definitionNamed, may } from "@tunnelplane/sdk/contract";
import { type Belonging, type Caller, isHidden, isLent } from "../auth";
import { partsOf, pipelined, type Store } from "../storage";
import { type ObjectRow, rowsByIds } from "./rows";

/** Whether an object exists for a caller. Whether it may be changed is looked at with every change. */
export const isSeenBy = (caller: Caller, definition: Definition, object: Belonging): boolean =>
  may(caller, "read", definition) && !isHidden(definition, object, caller);

/** The same for what lists show, with the objects of shared projects where these are asked for. */
export const isListedFor = (
  caller: Caller,
  definition: Definition,
  object: Belonging,
  withShared: boolean,
): boolean =>
  may(caller, "read", definition) &&
  (!isHidden(definition, object, caller) || (withShared && isLent(definition, object, caller)));

/** Objects of these ids, in any order, if a caller's lists show them. */
export async function listedRows(
  { reader }: Pick<Store, "reader">,
  caller: Caller,
  ids: readonly string[],
  withShared: boolean,
): Promise<ObjectRow[]> {
  const rows = (await pipelined(partsOf(ids).map((part) => rowsByIds(reader, { ids: part })))).flat();
  return rows.filter((row) => isListedFor(caller, definitionNamed(row.kind), row, withShared));
}

import { may, registry, seesAll } from "@tunnelplane/sdk/contract";
import type { Caller } from "../auth";
import { nameField, type Page, pageOf } from "../documents";
import type { Store } from "../storage";

interface ReferrersRequest {
  /** The object that they refer to. */
  readonly id: string;
  /** Only objects whose ids come before this one. */
  readonly before?: string;
  readonly limit: number;
}

/**
 * A page of the objects that refer to an object, those with the highest ids first, and the fields in which
 * they do. Objects that the caller may not see are left out.
 */
export async function referrersOf(
  { store: { reader } }: { readonly store: Pick<Store, "reader"> },
  caller: Caller,
  request: ReferrersRequest,
): Promise<Page> {
  const { id, before, limit } = request;
  const hidden = registry.filter((definition) => !may(caller, "read", definition)).map(({ kind }) => kind);
  const owned = registry.filter(({ access }) => access === "owner").map(({ kind }) => kind);
  let query = reader
    .selectFrom("resource")
    .select(["id", "kind", "document", "name"])
    .where("id", "in", (from) => from.selectFrom("reference").select("from_id").where("to_id", "=", id))
    .orderBy("id", "desc")
    .limit(limit + 1); // one more shows whether there is a next page
  if (caller.project !== undefined) query = query.where("project_id", "=", caller.project);
  if (before !== undefined) query = query.where("id", "<", before);
  if (hidden.length > 0) query = query.where("kind", "not in", hidden);
  if (!seesAll(caller.role))
    query = query.where(({ or, eb }) =>
      or([eb("kind", "not in", owned), eb("owner_id", "=", caller.ownerId)]),
    );
  const rows = await query.execute();
  const shown = rows.slice(0, limit);
  const ids = shown.map((row) => row.id);
  const fields =
    ids.length > 0
      ? await reader
          .selectFrom("reference")
          .select(["from_id", "field"])
          .where("to_id", "=", id)
          .where("from_id", "in", ids)
          .execute()
      : [];
  return pageOf(rows, limit, ({ id: from, kind, document, name }) => ({
    id: from,
    ...nameField(name),
    uri: JSON.parse(document).uri,
    kind,
    fields: fields
      .filter(({ from_id }) => from_id === from)
      .map(({ field }) => field)
      .sort(),
  }));
}

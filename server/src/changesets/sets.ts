import { fitting, type Page, type PageSize } from "../documents";
import type { ServerContext } from "../resources";
import { type Database, statement } from "../storage";

/** Sorts after every id. */
const AFTER_ALL = "~";

/** The sets that are wanted. */
interface Wanted {
  /** The id of the project. */
  readonly project: string;
  /** Undefined for the sets of all owners. */
  readonly owner: string | undefined;
}

/** A page of sets, newest first. */
export async function setPage(
  { store, documents }: Pick<ServerContext, "store" | "documents">,
  { project, owner }: Wanted,
  { limit, bytes, before = AFTER_ALL }: PageSize & { before?: string },
): Promise<Page> {
  const rows = await (owner === undefined ? allSets : ownSets)(store.reader, {
    before,
    limit: limit + 1,
    owner: owner ?? "",
    project,
  });
  const texts = rows.map(({ id, name, owner_id, created_at, objects }) =>
    JSON.stringify({
      id,
      set: name,
      uri: documents.placed(`/changesets/${name}`),
      created_at,
      owner_id,
      object_count: Number(objects),
    }),
  );
  const shown = fitting(
    texts.map(({ length }) => length),
    { limit, bytes },
  );
  return {
    documents: texts.slice(0, shown),
    nextBefore: rows.length > shown ? (rows[shown - 1]?.id ?? null) : null,
  };
}

type SetRow = Database["changeset"] & { readonly objects: number | string };
interface PageOf {
  readonly before: string;
  readonly limit: number;
  readonly owner: string;
  readonly project: string;
}

const pageOf = (isOwned: boolean) =>
  statement<PageOf, SetRow>((db, parameter) => {
    let sets = db
      .selectFrom("changeset")
      .selectAll()
      .select(({ selectFrom, fn }) =>
        selectFrom("changeset_object")
          .select(fn.countAll<number>().as("count"))
          .whereRef("changeset_object.changeset_id", "=", "changeset.id")
          .as("objects"),
      )
      .where("project_id", "=", parameter("project"))
      .where("id", "<", parameter("before"))
      .orderBy("id", "desc")
      .limit(parameter("limit"));
    if (isOwned) sets = sets.where("owner_id", "=", parameter("owner"));
    return sets;
  });

const allSets = pageOf(false);
const ownSets = pageOf(true);

export const deleteSet = statement<{ id: string }, unknown>((db, parameter) =>
  db.deleteFrom("changeset").where("id", "=", parameter("id")),
);

import { isListed, partsOf, type Store, statement } from "../../storage";
import type { SearchedRow } from "./entry";

/** Objects with what is searched of them, in any order. */
export const searchedRows = async ({ reader }: Store, ids: readonly string[]): Promise<SearchedRow[]> =>
  (await Promise.all(partsOf(ids).map((part) => rowsByIds(reader, { ids: part })))).flat();

const rowsByIds = statement<{ ids: string }, SearchedRow>((db, parameter) =>
  db
    .selectFrom("resource")
    .select(["id", "kind", "owner_id", "document", "project_id", "name"])
    .where(isListed(db, "id", parameter("ids"))),
);

export const rowsAfter = statement<{ after: string; limit: number }, SearchedRow>((db, parameter) =>
  db
    .selectFrom("resource")
    .select(["id", "kind", "owner_id", "document", "project_id", "name"])
    .where("id", ">", parameter("after"))
    .orderBy("id")
    .limit(parameter("limit")),
);

export const namesAfter = statement<{ after: string; limit: number }, Pick<SearchedRow, "id" | "name">>(
  (db, parameter) =>
    db
      .selectFrom("resource")
      .select(["id", "name"])
      .where("id", ">", parameter("after"))
      .orderBy("id")
      .limit(parameter("limit")),
);

export const settingOf = statement<{ name: string }, { value: string }>((db, parameter) =>
  db.selectFrom("setting").select("value").where("name", "=", parameter("name")),
);

export const changesAfter = statement<
  { after: number; limit: number },
  { sequence: number; object_id: string | null }
>((db, parameter) =>
  db
    .selectFrom("audit_event")
    .select(["sequence", "object_id"])
    .where("sequence", ">", parameter("after"))
    .orderBy("sequence")
    .limit(parameter("limit")),
);

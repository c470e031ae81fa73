import { DEFAULT_PROJECT } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import type { Caller } from "../auth";
import { type Database, isListed, statement } from "../storage";
import { idOfVersion } from "./pages";

/** The projects of objects, by id; those in `default` are left out. */
export type Places = ReadonlyMap<string, string>;

const NOWHERE: Places = new Map();

/**
 * The projects of a page's objects, for callers who serve all projects; for others there is nothing to say.
 */
export async function placesOf(
  db: Kysely<Database>,
  caller: Caller,
  versions: readonly string[],
): Promise<Places> {
  if (caller.project !== undefined) return NOWHERE;
  const ids = versions.map(idOfVersion);
  const rows = await outsideOfDefault(db, { ids: JSON.stringify(ids) });
  return new Map(rows.map(({ id, project_id }) => [id, project_id]));
}

const outsideOfDefault = statement<{ ids: string }, Pick<Database["resource"], "id" | "project_id">>(
  (db, parameter) =>
    db
      .selectFrom("resource")
      .select(["id", "project_id"])
      .where(isListed(db, "id", parameter("ids")))
      .where("project_id", "!=", DEFAULT_PROJECT.id),
);

/** An object's JSON with its project; without one, it is in `default`. */
export const placedIn = (json: string, project: string | undefined): string =>
  project === undefined || project === DEFAULT_PROJECT.id
    ? json
    : `${json.slice(0, -1)},"project_id":${JSON.stringify(project)}}`;

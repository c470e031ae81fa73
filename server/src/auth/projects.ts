import { DEFAULT_PROJECT, SHARED_PROJECT } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import { type Database, statement } from "../storage";
import type { Caller } from "./caller";

/** Whether a caller is an admin of the whole account: it may know what there is in every project. */
export const isAccountAdmin = ({ accountRole }: Pick<Caller, "accountRole">): boolean =>
  accountRole === "admin";

/** Whether answers may tell a caller of what is in other projects: of how much there is, and where. */
export const seesAllProjects = (caller: Pick<Caller, "accountRole" | "role">): boolean =>
  isAccountAdmin(caller) || caller.role === "gateway";

/** The names of projects, by id. There are at most a thousand. */
export async function projectNames(db: Kysely<Database>): Promise<ReadonlyMap<string, string>> {
  const rows = await keysOf(db, { scope: "project" });
  return new Map([
    [DEFAULT_PROJECT.id, DEFAULT_PROJECT.name],
    ...rows.map(({ id, value }) => [id, value] as const),
  ]);
}

/** The ids of the projects that are shared with all others. */
export const sharedProjects = async (db: Kysely<Database>): Promise<string[]> =>
  (await keysOf(db, { scope: SHARED_PROJECT })).map(({ id }) => id);

const keysOf = statement<{ scope: string }, { value: string; id: string }>((db, parameter) =>
  db.selectFrom("unique_key").select(["value", "resource_id as id"]).where("scope", "=", parameter("scope")),
);

import { type Definition, oncePer, SHARED_PROJECT, TCP_PORT } from "@tunnelplane/sdk/contract";
import { type Expression, type Kysely, type SqlBool, sql } from "kysely";
import { MAX_RESTRICTIONS } from "../auth";
import { wholeOf } from "../documents";
import { type Database, isListed, type Statement, statement } from "../storage";
import type { NamedRow } from "./objects";

/** A stored object, and to whom it belongs. */
export type ObjectRow = NamedRow & Pick<Database["resource"], "id" | "owner_id" | "project_id">;

const COLUMNS = [
  "resource.id",
  "resource.kind",
  "resource.owner_id",
  "resource.project_id",
  "resource.document",
  "resource.name",
] as const;

/** Whether an object belongs to a project, or to a shared one. */
const isSeenIn = (project: string): Expression<SqlBool> =>
  sql`(resource.project_id = ${project} or resource.project_id in (select resource_id from unique_key where scope = ${sql.lit(SHARED_PROJECT)}))`;

/** Objects of a project, and of shared ones. */
export const seenByIds = statement<{ ids: string; project: string }, ObjectRow>((db, parameter) =>
  db
    .selectFrom("resource")
    .select(COLUMNS)
    .where(isListed(db, "resource.id", parameter("ids")))
    .where(isSeenIn(parameter("project"))),
);

/** Objects of every project; for readers that look at each by itself. */
export const rowsByIds = statement<{ ids: string }, ObjectRow>((db, parameter) =>
  db
    .selectFrom("resource")
    .select(COLUMNS)
    .where(isListed(db, "resource.id", parameter("ids"))),
);

/** The newest of what is deleted with an object: the rules of a policy, the routes of an edge. */
export const seenBelongingTo = statement<{ id: string; project: string; limit: number }, ObjectRow>(
  (db, parameter) =>
    db
      .selectFrom("reference")
      .innerJoin("resource", "resource.id", "reference.from_id")
      .select(COLUMNS)
      .where("to_id", "=", parameter("id"))
      .where("cascades", "=", 1)
      .where(isSeenIn(parameter("project")))
      .orderBy("resource.id", "desc")
      .limit(parameter("limit")),
);

/** Who refers to an object. */
export const seenUsersOf = statement<{ id: string; project: string; limit: number }, { from_id: string }>(
  (db, parameter) =>
    db
      .selectFrom("reference")
      .innerJoin("resource", "resource.id", "reference.from_id")
      .select("from_id")
      .distinct()
      .where("to_id", "=", parameter("id"))
      .where("cascades", "=", 0)
      .where(isSeenIn(parameter("project")))
      .orderBy("from_id")
      .limit(parameter("limit")),
);

/** The newest objects of a kind in a project. */
export const newestIn = statement<{ kind: string; project: string; limit: number }, ObjectRow>(
  (db, parameter) =>
    db
      .selectFrom("resource")
      .select(COLUMNS)
      .where("kind", "=", parameter("kind"))
      .where("project_id", "=", parameter("project"))
      .orderBy("id", "desc")
      .limit(parameter("limit")),
);

/** An object of a project, with its embedded list. */
export const wholeIn = oncePer(
  (
    definition: Definition,
  ): Statement<{ id: string; project: string }, Pick<Database["resource"], "document" | "version">> =>
    statement((db, parameter) =>
      db
        .selectFrom("resource")
        .select(["version", wholeOf(definition).as("document")])
        .where("id", "=", parameter("id"))
        .where("project_id", "=", parameter("project")),
    ),
);

/** A hostport or port, and the edge that serves it. */
export interface Served {
  readonly value: string;
  readonly resource_id: string;
}

const servedIn = (db: Kysely<Database>, scope: string, project: string) =>
  db
    .selectFrom("unique_key")
    .innerJoin("resource", "resource.id", "unique_key.resource_id")
    .select(["value", "resource_id"])
    .where("scope", "=", scope)
    .where("project_id", "=", project);

/** The edges of a project that have hostports of a list. */
export const edgesAt = statement<{ values: string; project: string }, Served>((db, parameter) =>
  servedIn(db, HOSTPORT, parameter("project")).where(isListed(db, "value", parameter("values"))),
);

/** The TCP edges of a project at ports of a list: they take connections whatever name these use. */
export const tcpEdgesAt = statement<{ values: string; project: string }, Served>((db, parameter) =>
  servedIn(db, TCP_PORT, parameter("project")).where(isListed(db, "value", parameter("values"))),
);

/** The edges of a project that take names of a wildcard. */
export const edgesBelow = statement<
  { pattern: string; deeper: string; project: string; limit: number },
  Served
>((db, parameter) =>
  servedIn(db, HOSTPORT, parameter("project"))
    .where("value", "like", parameter("pattern"))
    .where("value", "not like", parameter("deeper"))
    .where("value", "not like", "*%")
    .limit(parameter("limit")),
);

/** The hostports of a project from one on, in their order. */
export const hostportsFrom = statement<{ from: string; project: string; limit: number }, Served>(
  (db, parameter) =>
    servedIn(db, HOSTPORT, parameter("project"))
      .where("value", ">=", parameter("from"))
      .orderBy("value")
      .limit(parameter("limit")),
);

const HOSTPORT = "hostport";

/** The restrictions of the account, of whatever project: they hold for every edge. */
export const everyRestriction = statement<object, ObjectRow>((db) =>
  db
    .selectFrom("resource")
    .select(COLUMNS)
    .where("kind", "=", "ip_restriction")
    .orderBy("resource.id")
    .limit(MAX_RESTRICTIONS),
);

/** The rules of policies of restrictions, of whatever project. */
export const rulesOfPolicies = statement<{ ids: string; limit: number }, ObjectRow>((db, parameter) =>
  db
    .selectFrom("reference")
    .innerJoin("resource", "resource.id", "reference.from_id")
    .select(COLUMNS)
    .where(isListed(db, "to_id", parameter("ids")))
    .where("kind", "=", "ip_policy_rule")
    .where("cascades", "=", 1)
    .orderBy("resource.id")
    .limit(parameter("limit")),
);

export const adminById = statement<{ id: string }, { id: string }>((db, parameter) =>
  db.selectFrom("principal").select("id").where("id", "=", parameter("id")).where("role", "=", "admin"),
);

import { DEFAULT_PROJECT, type Definition, definitionOf, registry } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import { isShareable, type Shown } from "../auth";
import { type Documents, documentsOfPage, type Page } from "../documents";
import { isChangeOf, type ObjectChange } from "../journal";
import { type Database, statement } from "../storage";
import { RequestError } from "../util";
import { findById, type StoredRow } from "./rows";

/** When the project `default` was made, as answers say it: before all else. */
const FROM_THE_START = "1970-01-01T00:00:00.000Z";

/** The version of an object that is there and not stored. */
export const UNSTORED = 0;

/** The project `default`, which is there from the start and stored from its first change on. */
export function defaultProject(documents: Documents): StoredRow {
  const definition = definitionOf("project");
  const { id, name } = DEFAULT_PROJECT;
  const sent = { name, description: "", metadata: "", shared: false };
  return {
    id,
    kind: definition.kind,
    owner_id: "server",
    version: UNSTORED,
    document: documents.seal(definition, documents.compose(definition, id, FROM_THE_START, sent)),
    project_id: id,
    name: null,
  };
}

/** Whether a caller's lists of a type show the project `default`. */
export const isListedByDefault = ({ kind }: Definition, { ids }: Shown): boolean =>
  kind === "project" && (ids?.includes(DEFAULT_PROJECT.id) ?? true);

/** A page of projects, with `default` at its end: its id comes before all others. */
export async function withDefaultProject(
  db: Kysely<Database>,
  documents: Documents,
  page: Page,
  { limit, before }: { readonly limit: number; readonly before?: string },
): Promise<Page> {
  const { id } = DEFAULT_PROJECT;
  if (page.nextBefore !== null || before === id || (await findById(db, { id })).length > 0) return page;
  const shown = documentsOfPage(page);
  const last = shown.at(-1);
  return shown.length < limit || last === undefined
    ? { ...page, documents: [...shown, defaultProject(documents).document] }
    : { ...page, nextBefore: JSON.parse(last).id };
}

const SHAREABLE = registry.filter(isShareable).map(({ kind }) => kind);

/** Objects that an error names. */
const MAX_NAMED = 5;

/** Refuses changes of projects that would leave objects without one, or the account without `default`. */
export async function refuseLostProjects(
  db: Kysely<Database>,
  changes: readonly ObjectChange[],
  project: string,
): Promise<void> {
  const removed = new Set(changes.filter(({ after }) => !after).map(({ id }) => id));
  for (const change of changes) {
    if (!isChangeOf(change, "project") || !change.before) continue;
    const { id, before, after } = change;
    if (id === DEFAULT_PROJECT.id && after?.name !== before.name)
      throw new RequestError("in_use", "The project default cannot be deleted or get another name");
    if (after && before.shared && !after.shared && (await usesFromOutside(db, { project: id })).length > 0)
      throw new RequestError(
        "in_use",
        "shared must stay true, because another project refers to objects of this one; remove that there first",
        { field: "shared" },
      );
    if (after) continue;
    const held = (await objectsOf(db, { project: id, limit: removed.size + MAX_NAMED + 1 })).filter(
      (object) => !removed.has(object.id),
    );
    if (held.length === 0) continue;
    const ids = held.slice(0, MAX_NAMED).map((object) => object.id);
    throw new RequestError(
      "in_use",
      `The project ${before.name} (${id}) still holds ${ids.join(", ")}${held.length > MAX_NAMED ? " and others" : ""}; delete them first`,
    );
  }
  const isMade = changes.some(({ change }) => change === "created");
  if (isMade && project !== DEFAULT_PROJECT.id && (await heldProject(db, { id: project })).length === 0)
    throw new RequestError("not_found", "The project of this request was deleted just now");
}

const objectsOf = statement<{ project: string; limit: number }, { id: string }>((db, parameter) =>
  db
    .selectFrom("resource")
    .select("id")
    .where(
      "kind",
      "in",
      registry.map(({ kind }) => kind), // for the index
    )
    .where("project_id", "=", parameter("project"))
    .limit(parameter("limit")),
);

/** A reference from another project to an object that is lent. */
const usesFromOutside = statement<{ project: string }, { from_id: string }>((db, parameter) =>
  db
    .selectFrom("resource as target")
    .innerJoin("reference", "reference.to_id", "target.id")
    .innerJoin("resource as user", "user.id", "reference.from_id")
    .select("from_id")
    .where("target.kind", "in", SHAREABLE)
    .where("target.project_id", "=", parameter("project"))
    .where("user.project_id", "!=", parameter("project"))
    .limit(1),
);

/** Locks a project against its deletion while objects are made in it. */
const heldProject = statement<{ id: string }, { id: string }>((db, parameter) =>
  db.selectFrom("resource").select("id").where("id", "=", parameter("id")).forShare(),
);

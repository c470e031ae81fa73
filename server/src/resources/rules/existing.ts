import { SHARED_PROJECT, type UniqueKey } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import { type Caller, isWithin, projectNames, roleIn, standingOf } from "../../auth";
import { type Database, inParts, isListed, statement } from "../../storage";
import { grouped } from "../../util";

/** An object without its document. */
export type BriefRow = Pick<Database["resource"], "id" | "kind" | "owner_id" | "version" | "project_id">;

/** A reference of a stored object to another. */
export type ReferrerRow = Pick<Database["reference"], "from_id" | "to_id" | "field" | "cascades"> & {
  readonly kind: string;
  /** The projects of both. */
  readonly from_project: string;
  readonly to_project: string;
};

/** The holder of a unique key. */
export interface HolderRow {
  readonly scope: string;
  readonly value: string;
  readonly id: string;
  readonly kind: string;
  readonly owner_id: string;
  readonly project_id: string;
}

/** An error names only a few referrers of an object; a list shows the rest. */
const MAX_REFERRERS_READ = 6;

/**
 * The stored objects, as the rules read them: by id or by key, so that no read grows with the number of
 * objects.
 */
export class Existing {
  constructor(protected readonly db: Kysely<Database>) {}

  /** The objects of these ids that exist. */
  rowsOf(ids: readonly string[]): Promise<BriefRow[]> {
    return inParts(ids, (part) => briefByIds(this.db, { ids: part }));
  }

  /** The first few references that prevent a deletion of these objects. */
  referrersOf(ids: readonly string[]): Promise<ReferrerRow[]> {
    return inParts(ids, (part) => firstReferrers(this.db, { ids: part }));
  }

  /** The references in these objects, at most so many. */
  targetsOf(ids: readonly string[], most: number): Promise<{ from_id: string; to_id: string }[]> {
    return inParts(ids, (part) => targetsByIds(this.db, { ids: part, most }));
  }

  /** Those of these projects that are shared. */
  async sharedAmong(projects: readonly string[]): Promise<string[]> {
    const ids = [...new Set(projects)];
    return (await inParts(ids, (part) => sharedByIds(this.db, { ids: part }))).map(({ id }) => id);
  }

  /** Whether a bot or a project exists for a caller. */
  async mayName({ id, kind, project_id }: BriefRow, caller: Caller): Promise<boolean> {
    if (caller.accountRole !== null || id === caller.ownerId) return true;
    if (kind === "project") return caller.shared.has(id) || roleIn(caller, id) !== null;
    return project_id === caller.project || isWithin(await standingOf(this.db, id), caller.project);
  }

  /** The name of a project. */
  async projectName(id: string): Promise<string> {
    return (await projectNames(this.db)).get(id) ?? id;
  }

  /** The holders of unique keys. */
  async holdersOf(keys: readonly Pick<UniqueKey, "scope" | "key">[]): Promise<HolderRow[]> {
    const found: HolderRow[] = [];
    for (const [scope, same] of grouped(keys, ({ scope }) => scope)) {
      const values = same.map(({ key }) => key);
      const rows = await inParts(values, (part) => holdersByKeys(this.db, { scope, values: part }));
      for (const row of rows) found.push(row);
    }
    return found;
  }
}

const briefByIds = statement<{ ids: string }, BriefRow>((db, parameter) =>
  db
    .selectFrom("resource")
    .select(["id", "kind", "owner_id", "version", "project_id"])
    .where(isListed(db, "id", parameter("ids"))),
);

/** The references to objects; `ids` is a JSON list. */
export const referencesTo = (db: Kysely<Database>, ids: string) =>
  db
    .selectFrom("reference")
    .innerJoin("resource", "resource.id", "reference.from_id")
    .innerJoin("resource as target", "target.id", "reference.to_id")
    .select(["from_id", "to_id", "field", "cascades", "resource.kind"])
    .select(["resource.project_id as from_project", "target.project_id as to_project"])
    .where(isListed(db, "to_id", ids));

const firstReferrers = statement<{ ids: string }, ReferrerRow>((db, parameter) =>
  referencesTo(db, parameter("ids")).where("cascades", "=", 0).limit(MAX_REFERRERS_READ),
);

const sharedByIds = statement<{ ids: string }, { id: string }>((db, parameter) =>
  db
    .selectFrom("unique_key")
    .select("resource_id as id")
    .where("scope", "=", SHARED_PROJECT)
    .where(isListed(db, "resource_id", parameter("ids"))),
);

const targetsByIds = statement<{ ids: string; most: number }, { from_id: string; to_id: string }>(
  (db, parameter) =>
    db
      .selectFrom("reference")
      .select(["from_id", "to_id"])
      .where(isListed(db, "from_id", parameter("ids")))
      .limit(parameter("most")),
);

const holdersByKeys = statement<{ scope: string; values: string }, HolderRow>((db, parameter) =>
  db
    .selectFrom("unique_key")
    .innerJoin("resource", "resource.id", "unique_key.resource_id")
    .select(["scope", "value", "resource.id", "resource.kind", "resource.owner_id", "resource.project_id"])
    .where("scope", "=", parameter("scope"))
    .where(isListed(db, "value", parameter("values"))),
);

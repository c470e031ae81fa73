import { type Definition, oncePer, type UniqueKey } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import type { Belonging } from "../auth";
import { wholeOf } from "../documents";
import {
  type BriefRow,
  Existing,
  type HolderRow,
  type ReferrerRow,
  referencesTo,
  STORED_COLUMNS,
  type StoredRow,
} from "../resources";
import {
  type Database,
  inParts,
  isListed,
  type ParameterOf,
  type Statement,
  statement,
  type Transaction,
} from "../storage";

/** Names a set: two projects may each have one of the same name. */
type SetName = Pick<Database["changeset"], "project_id" | "name">;

const setNamed = (db: Kysely<Database>, parameter: ParameterOf<SetName>) =>
  db
    .selectFrom("changeset")
    .selectAll()
    .where("project_id", "=", parameter("project_id"))
    .where("name", "=", parameter("name"));

export const findSet = statement<SetName, Database["changeset"]>(setNamed);

export const lockSet = statement<SetName, Database["changeset"]>((db, parameter) =>
  setNamed(db, parameter).forUpdate(),
);

/** An object of a set, with its owner and project. */
export type MemberRow = Database["changeset_object"] & Belonging;

export const membersOf = statement<{ set: string }, MemberRow>((db, parameter) =>
  db
    .selectFrom("changeset_object")
    .innerJoin("resource", "resource.id", "changeset_object.resource_id")
    .selectAll("changeset_object")
    .select(["resource.id", "resource.owner_id", "resource.project_id"])
    .where("changeset_id", "=", parameter("set"))
    .orderBy("changeset_object.kind")
    .orderBy("changeset_object.key"),
);

const setsByIds = statement<{ ids: string }, { resource_id: string; name: string }>((db, parameter) =>
  db
    .selectFrom("changeset_object")
    .innerJoin("changeset", "changeset.id", "changeset_object.changeset_id")
    .select(["resource_id", "changeset.name"])
    .where(isListed(db, "resource_id", parameter("ids"))),
);

/** The sets to which objects belong. */
export const setsOf = (db: Kysely<Database>, ids: readonly string[]) =>
  inParts(ids, (part) => setsByIds(db, { ids: part }));

const wholeByIds = oncePer(
  (definition: Definition): Statement<{ ids: string }, StoredRow> =>
    statement((db, parameter) =>
      db
        .selectFrom("resource")
        .select([...STORED_COLUMNS, wholeOf(definition).as("document")])
        .where(isListed(db, "resource.id", parameter("ids"))),
    ),
);

/** Objects of one type, with their embedded lists. */
export const wholeRows = (db: Kysely<Database>, definition: Definition, ids: readonly string[]) =>
  inParts(ids, (part) => wholeByIds(definition)(db, { ids: part }));

const lockedByIds = statement<{ ids: string }, BriefRow>((db, parameter) =>
  db
    .selectFrom("resource")
    .select(["id", "kind", "owner_id", "version", "project_id"])
    .where(isListed(db, "id", parameter("ids")))
    .orderBy("id")
    .forUpdate(),
);

/** Locked until the transaction ends; in the order of ids, so that writers do not deadlock. */
const lockRows = (db: Kysely<Database>, ids: readonly string[]) =>
  inParts(ids.toSorted(), (part) => lockedByIds(db, { ids: part }));

const referrersByIds = statement<{ ids: string }, ReferrerRow>((db, parameter) =>
  referencesTo(db, parameter("ids")).orderBy("from_id"),
);

/** All references to objects. */
export const allReferrersOf = (db: Kysely<Database>, ids: readonly string[]) =>
  inParts(ids, (part) => referrersByIds(db, { ids: part }));

type Key = Pick<UniqueKey, "scope" | "key">;

/** Everything that a plan has read. If any of it changes, the plan no longer holds. */
export class PlanFacts extends Existing {
  /** The version of each object that was read; null if the object does not exist. */
  readonly versions = new Map<string, number | null>();
  /** Objects that will join the set, and are in none yet. */
  readonly adopted: string[] = [];
  readonly #deletedIds: string[] = [];
  readonly #referrers: ReferrerRow[] = [];
  readonly #claimed: Key[] = [];
  readonly #holders: HolderRow[] = [];

  override async rowsOf(ids: readonly string[]): Promise<BriefRow[]> {
    for (const id of ids) if (!this.versions.has(id)) this.versions.set(id, null);
    const rows = await super.rowsOf(ids);
    for (const { id, version } of rows) this.versions.set(id, version);
    return rows;
  }

  /** All references, because those from the set itself do not count. */
  override async referrersOf(ids: readonly string[]): Promise<ReferrerRow[]> {
    const referrers = await allReferrersOf(this.db, ids);
    this.#deletedIds.push(...ids);
    for (const referrer of referrers) this.#referrers.push(referrer);
    return referrers;
  }

  override async targetsOf(ids: readonly string[], most: number) {
    await this.rowsOf(ids);
    return super.targetsOf(ids, most);
  }

  override async holdersOf(keys: readonly Key[]): Promise<HolderRow[]> {
    const holders = await super.holdersOf(keys);
    for (const key of keys) this.#claimed.push(key);
    for (const holder of holders) this.#holders.push(holder);
    return holders;
  }

  /** Whether all of it is unchanged. Locks the objects that are about to change. */
  async stillHold(transaction: Transaction, changing: ReadonlySet<string>): Promise<boolean> {
    const now = new Existing(transaction);
    // Includes objects that join unchanged: if two sets adopt one at once, the second must see the first.
    const toLock = new Set([...changing, ...this.adopted]);
    const locked = await lockRows(transaction, [...toLock]);
    const others = await now.rowsOf([...this.versions.keys()].filter((id) => !toLock.has(id)));
    const versions = new Map([...locked, ...others].map(({ id, version }) => [id, version]));
    const [joined, referrers, holders] = [
      await setsOf(transaction, this.adopted),
      await allReferrersOf(transaction, this.#deletedIds),
      await now.holdersOf(this.#claimed),
    ];
    return (
      [...this.versions].every(([id, version]) => (versions.get(id) ?? null) === version) &&
      joined.length === 0 &&
      textOf(referrers) === textOf(this.#referrers) &&
      textOf(holders) === textOf(this.#holders)
    );
  }
}

const textOf = (rows: readonly object[]): string =>
  rows
    .map((row) => JSON.stringify(row))
    .sort()
    .join("\n");

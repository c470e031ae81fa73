import { randomUUID } from "node:crypto";
import type { Definition } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import { type Database, effect, inParts, isListed, recordsOf, statement, type Transaction } from "../storage";
import { inSlices } from "../util";
import type { Document } from "./documents";
import { embeddedListOf } from "./embedded";

/** An object, and the name that it gets; null for none. */
export type Naming = Pick<Database["resource"], "id" | "name">;

/** Objects that one statement renames. */
const AT_ONCE = 200;

/** The name to store: none in place of an empty one. */
export const storedName = (name: string | undefined): string | null => name || null;

/**
 * Gives objects other names. This is not a change of the objects: no version, no event, no audit row.
 * Their rows must be locked.
 */
export async function setNames(transaction: Transaction, namings: readonly Naming[]): Promise<void> {
  const rows = namings.map(({ id, name }) => [id, name]);
  for (let start = 0; start < rows.length; start += AT_ONCE)
    await renameAll(transaction, { list: JSON.stringify(rows.slice(start, start + AT_ONCE)) });
}

/** The setting that has another value after each change only of names. */
export const RENAMED = "renamed";

/**
 * Tells searches that names changed in this transaction without a change of their objects. Call it last:
 * until the transaction ends, others that do the same wait.
 */
export async function noteRenames(transaction: Transaction): Promise<void> {
  const value = randomUUID();
  await transaction
    .insertInto("setting")
    .values({ name: RENAMED, value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
    .execute();
}

const renameAll = effect<{ list: string }>((db, parameter) =>
  db
    .updateTable("resource")
    .from(
      recordsOf<{ id: string; name: string }>(db, parameter("list"), { id: "text", name: "text" }).as(
        "named",
      ),
    )
    .set(({ ref }) => ({ name: ref("named.name") }))
    .whereRef("resource.id", "=", "named.id"),
);

/** The names of those objects that have one, by id. The caller must be allowed to read the objects. */
export async function namesOf(
  db: Kysely<Database>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await inParts([...new Set(ids)], (part) => namesByIds(db, { ids: part }));
  return new Map(rows.map(({ id, name }) => [id, name]));
}

const namesByIds = statement<{ ids: string }, { id: string; name: string }>((db, parameter) =>
  db
    .selectFrom("resource")
    .select("id")
    .select(({ ref }) => ref("name").$notNull().as("name"))
    .where(isListed(db, "id", parameter("ids")))
    .where("name", "is not", null),
);

/** A name as a field of answers, or as nothing. */
export const nameField = (name: string | null | undefined): { readonly resource_name?: string } =>
  name ? { resource_name: name } : {};

/** An object of an answer with its name, if it has one, beside its id. */
const withName = <T extends { readonly id: unknown }>(
  { id, ...rest }: T,
  names: ReadonlyMap<string, string>,
): object => ({ id, ...nameField(names.get(String(id))), ...rest });

/** The JSON of objects with the names of them and of what is embedded in them. */
export async function withNames(
  db: Kysely<Database>,
  definition: Definition,
  documents: readonly string[],
): Promise<readonly string[]> {
  const list = embeddedListOf(definition)?.field ?? "";
  const objects = await inSlices(documents, (json): Answered => JSON.parse(json));
  const childrenOf = ({ [list]: children }: Answered) => (Array.isArray(children) ? children : []);
  const names = await namesOf(
    db,
    objects.flatMap((object) => [object.id, ...childrenOf(object).map(({ id }) => id)]),
  );
  if (names.size === 0) return documents;
  return inSlices(objects, (object) =>
    JSON.stringify({
      ...withName(object, names),
      ...(list !== "" && { [list]: childrenOf(object).map((child) => withName(child, names)) }),
    }),
  );
}

type Answered = Document & { readonly id: string };

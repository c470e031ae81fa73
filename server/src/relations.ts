import {
  createSchema,
  type Definition,
  definitionOf,
  definitionOfId,
  type FoundReference,
  formatPath,
  referencesIn,
  targetsOf,
  type UniqueKey,
  withArticle,
} from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import { refuseFaults } from "./apiError";
import type { Document } from "./documents";
import type { Database } from "./storage/schema";

/** What an object refers to. Refuses references to objects that do not exist or are of another kind. */
export async function resolveReferences(db: Kysely<Database>, definition: Definition, sent: Document): Promise<FoundReference[]> {
  const found = referencesIn(createSchema(definition), sent)
    .map((reference) => ({ ...reference, targets: targetsOf(reference.reference.to) }))
    .filter(({ id }) => !id.startsWith("usr_")); // users are no resources
  for (const { path, id: target, targets } of found) {
    if (!targets.includes(definitionOfId(target) as Definition)) {
      const expected = targets.map(({ title, idPrefix }) => `${withArticle(title)} ("${idPrefix}_…")`).join(" or ");
      refuseFaults([{ error: "wrong_id_kind", path, message: `is ${JSON.stringify(target)}: expected the id of ${expected}` }]);
    }
  }
  if (found.length === 0) return [];
  const ids = [...new Set(found.map((reference) => reference.id))];
  const existing = new Set((await db.selectFrom("resource").select("id").where("id", "in", ids).execute()).map((row) => row.id));
  const missing = found.find((reference) => !existing.has(reference.id));
  if (missing) {
    const { path, id: target } = missing;
    const kind = definitionOfId(target)?.title;
    refuseFaults([{ error: "missing_target", path, message: `names ${target}, but there is no such ${kind}; create it first` }]);
  }
  return found;
}

/**
 * Records what an object refers to, in place of what it referred to before.
 *
 * References that stay as they are stay untouched: writing them again would wait for whoever is deleting
 * their target, who may in turn wait for this very object, which goes along with it.
 *
 * @param before what the object was made from, or undefined when it is new
 */
export async function replaceReferences(
  transaction: Kysely<Database>,
  { definition, id, before, sent }: { definition: Definition; id: string; before: Document | undefined; sent: Document },
): Promise<void> {
  const schema = createSchema(definition);
  const now = referencesIn(schema, sent);
  const then = before ? referencesIn(schema, before) : [];
  const placesOf = (found: readonly FoundReference[]) => found.map(({ path, id: target }) => `${formatPath(path)} ${target}`).join("\n");
  if (placesOf(now) === placesOf(then)) return;
  const found = await resolveReferences(transaction, definition, sent);
  if (then.length > 0) await transaction.deleteFrom("reference").where("from_id", "=", id).execute();
  const rows = found.map(({ path, id: target, reference }) => ({
    from_id: id,
    to_id: target,
    field: formatPath(path),
    cascades: reference.cascade ? (1 as const) : (0 as const),
  }));
  if (rows.length > 0) await transaction.insertInto("reference").values(rows).execute();
}

/**
 * Records the values that only one object at a time may hold. Refuses those that another object holds.
 *
 * @param before what the object was made from, or undefined when it is new
 */
export async function replaceUniqueKeys(
  transaction: Kysely<Database>,
  { definition, id, before, sent }: { definition: Definition; id: string; before: Document | undefined; sent: Document },
): Promise<void> {
  const keys = definition.unique(sent);
  const held = before ? definition.unique(before) : [];
  const valuesOf = (some: readonly UniqueKey[]) => some.map(({ scope, key }) => `${scope} ${key}`).join("\n");
  if (valuesOf(keys) === valuesOf(held)) return;
  if (held.length > 0) await transaction.deleteFrom("unique_key").where("resource_id", "=", id).execute();
  for (const { scope, key, path, taken } of keys) {
    const holder = await transaction
      .selectFrom("unique_key")
      .select("resource_id")
      .where("scope", "=", scope)
      .where("value", "=", key)
      .executeTakeFirst();
    if (holder) refuseFaults([{ error: "taken", path, message: `${taken} (${holder.resource_id})` }]);
  }
  // In one order everywhere, so that writers who claim the same values wait for one another, and never in a circle.
  for (const { scope, key } of keys.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    await transaction.insertInto("unique_key").values({ scope, value: key, resource_id: id }).execute();
  }
}

// An error names a few users; whoever has to remove thousands of them will list them.
const USERS_SHOWN = 5;

/** Who refers to an object: children, which are deleted with it, and users, which keep it from being deleted. */
export async function referrersOf(transaction: Kysely<Database>, id: string): Promise<{ children: string[]; users: string[] }> {
  const rows = await transaction
    .selectFrom("reference")
    .innerJoin("resource", "resource.id", "reference.from_id")
    .select(["resource.id", "resource.kind", "reference.field", "reference.cascades"])
    .where("to_id", "=", id)
    .orderBy("resource.id")
    .execute();
  const children = rows.filter((row) => row.cascades === 1).map((row) => row.id);
  const users = rows.filter((row) => row.cascades === 0).map((row) => `${definitionOf(row.kind).title} ${row.id} (${row.field})`);
  const more = users.length - USERS_SHOWN;
  return { children, users: more > 0 ? [...users.slice(0, USERS_SHOWN), `and ${more} more`] : users };
}

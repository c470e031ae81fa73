import type { Kysely } from "kysely";
import { idType } from "../idType";

interface Begun {
  setting: { name: string; value: string };
  audit_head: { id: number };
}

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ["object_digest", "event_digest"])
    await db.schema.alterTable("audit_event").addColumn(column, "text").execute();
  await db.schema
    .createTable("baseline")
    .addColumn("id", idType(db), (column) => column.primaryKey().notNull())
    .addColumn("digest", "text", (column) => column.notNull())
    .execute();
  await allowFirstStart(db as Kysely<Begun>);
}

/** From now on, a database that lost its keys can be distinguished from one that never had any. */
async function allowFirstStart(db: Kysely<Begun>): Promise<void> {
  const begun = await db.selectFrom("audit_head").select("id").executeTakeFirst();
  const sealed = await db
    .selectFrom("setting")
    .select("name")
    .where("name", "=", "sealed_at_rest")
    .executeTakeFirst();
  if (!begun && !sealed)
    await db.insertInto("setting").values({ name: "first_start", value: "pending" }).execute();
}

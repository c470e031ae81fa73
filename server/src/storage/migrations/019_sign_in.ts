import type { Kysely } from "kysely";
import { idType } from "../idType";

/** Users who sign in at an identity provider, and their sessions. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const id = idType(db);
  const { schema } = db;
  for (const column of ["issuer", "subject", "email", "last_sign_in_at"])
    await schema.alterTable("principal").addColumn(column, "text").execute();
  await schema
    .alterTable("principal")
    .addColumn("active", "integer", (column) => column.notNull().defaultTo(1))
    .execute();
  await schema
    .alterTable("principal")
    .addColumn("groups", "text", (column) => column.notNull().defaultTo("[]"))
    .execute();
  await schema
    .createIndex("principal_subject")
    .on("principal")
    .columns(["issuer", "subject"])
    .unique()
    .execute();
  await schema
    .createTable("session")
    .addColumn("hash", id, (column) => column.primaryKey().notNull())
    .addColumn("id", id, (column) => column.notNull().unique())
    .addColumn("user_id", id, (column) => column.notNull().references("principal.id").onDelete("cascade"))
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("created_at", "text", (column) => column.notNull())
    .addColumn("expires_at", id, (column) => column.notNull())
    .addColumn("client", "text", (column) => column.notNull())
    .addColumn("claims", "text", (column) => column.notNull())
    .addColumn("begun_as", "text", (column) => column.unique())
    .execute();
  await schema.createIndex("session_user").on("session").columns(["user_id", "id"]).execute();
  await schema.createIndex("session_end").on("session").column("expires_at").execute();
}

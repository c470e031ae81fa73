import type { Kysely } from "kysely";
import { idType } from "../idType";

/** Certificates that the server orders for reserved domains. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const id = idType(db);
  const { schema } = db;
  await schema
    .createTable("acme_order")
    .addColumn("domain_id", id, (column) =>
      column.primaryKey().notNull().references("resource.id").onDelete("cascade"),
    )
    .addColumn("phase", "text", (column) => column.notNull())
    .addColumn("order_url", "text")
    .addColumn("challenge", "text")
    .addColumn("started_at", "text")
    .addColumn("tries", "integer", (column) => column.notNull())
    .addColumn("next_at", "bigint", (column) => column.notNull())
    .addColumn("renews_at", "text")
    .execute();
  await schema.createIndex("acme_order_next").on("acme_order").column("next_at").execute();
  await schema
    .createTable("acme_certificate")
    .addColumn("certificate_id", id, (column) =>
      column.primaryKey().notNull().references("resource.id").onDelete("cascade"),
    )
    .addColumn("domain_id", id, (column) => column.notNull())
    .addColumn("unused_since", "bigint")
    .execute();
  await schema
    .createTable("acme_lease")
    .addColumn("id", "integer", (column) => column.primaryKey().notNull())
    .addColumn("holder", "text", (column) => column.notNull())
    .addColumn("until", "bigint", (column) => column.notNull())
    .execute();
}

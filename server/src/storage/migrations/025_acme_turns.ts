import type { Kysely } from "kysely";

/** When orders were placed lately, so that a new start stays below the limits of authorities, too. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable("acme_placed")
    .addColumn("placed_at", "bigint", (column) => column.notNull())
    .execute();
  await schema
    .alterTable("acme_order")
    .addColumn("looks", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
}

import { type Kysely, sql } from "kysely";

/**
 * Puts the table `new_<table>` in the place of a table, with its rows: SQLite cannot change keys of a table.
 * The indexes and triggers of the old one go with it. So do rows that refer to its rows.
 */
export async function renewTable(
  db: Kysely<unknown>,
  table: string,
  columns: readonly string[],
): Promise<void> {
  await copyRows(db, table, columns);
  await replaceTable(db, table);
}

export async function copyRows(
  db: Kysely<unknown>,
  table: string,
  columns: readonly string[],
): Promise<void> {
  const names = sql.join(columns.map((column) => sql.ref(column)));
  await sql`insert into ${sql.table(`new_${table}`)} (${names}) select ${names} from ${sql.table(table)}`.execute(
    db,
  );
}

export async function replaceTable({ schema }: Kysely<unknown>, table: string): Promise<void> {
  await schema.dropTable(table).execute();
  await schema.alterTable(`new_${table}`).renameTo(table).execute();
}

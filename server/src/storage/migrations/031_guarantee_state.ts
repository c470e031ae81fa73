import { type Kysely, sql } from "kysely";
import { idType } from "../idType";

interface Tables {
  resource: { id: string; kind: string; document: string; project_id: string };
  guarantee_address: { place: string; guarantee_id: string; enforced: number };
  guarantee_state: {
    guarantee_id: string;
    project_id: string;
    touched: number;
    judged: number;
    due_at: number;
  };
}

/** The kept states of guarantees, and the places of those too that only report. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const id = idType(db);
  await db.schema
    .alterTable("guarantee_address")
    .addColumn("enforced", "integer", (column) => column.notNull().defaultTo(1))
    .execute();
  await db.schema
    .createIndex("guarantee_address_enforced")
    .on("guarantee_address")
    .column("enforced")
    .execute();
  await db.schema
    .createTable("guarantee_state")
    .addColumn("guarantee_id", id, (column) =>
      column.primaryKey().notNull().references("resource.id").onDelete("cascade"),
    )
    .addColumn("project_id", id, (column) => column.notNull())
    .addColumn("touched", "bigint", (column) => column.notNull())
    .addColumn("judged", "bigint", (column) => column.notNull())
    .addColumn("state", "text")
    .addColumn("judged_at", "text")
    .addColumn("ports", "text", (column) => column.notNull().defaultTo(""))
    .addColumn("ends_at", "bigint")
    .addColumn("due_at", "bigint")
    .execute();
  await db.schema
    .createIndex("guarantee_state_due")
    .on("guarantee_state")
    .columns(["project_id", "due_at"])
    .where(sql.ref("due_at"), "is not", null)
    .execute();
  await fill(db as Kysely<Tables>);
}

/** Guarantees from before have no state yet. */
async function fill(db: Kysely<Tables>): Promise<void> {
  for (const one of await db
    .selectFrom("resource")
    .selectAll()
    .where("kind", "=", "guarantee")
    .orderBy("id")
    .execute()) {
    await db
      .insertInto("guarantee_state")
      .values({ guarantee_id: one.id, project_id: one.project_id, touched: 1, judged: 0, due_at: 0 })
      .execute();
    const { mode, addresses }: { mode: string; addresses: string[] } = JSON.parse(one.document);
    if (mode !== "report") continue;
    for (const place of new Set(addresses.flatMap(placesOf)))
      await db.insertInto("guarantee_address").values({ place, guarantee_id: one.id, enforced: 0 }).execute();
  }
}

/** As in `guarantees/places.ts` when this was written. */
function placesOf(address: string): string[] {
  const [hostport = ""] = address.toLowerCase().split("/");
  const colon = hostport.lastIndexOf(":");
  const [host, port] = [hostport.slice(0, colon), hostport.slice(colon + 1)];
  return [`${host}:${port}`, ...(host.includes("*") ? [] : [`<${host.replace(/^[^.]*/, "*")}:${port}`])];
}

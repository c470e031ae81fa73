import type { Kysely } from "kysely";
import { idType } from "../idType";

/** What gateways see: sessions of agents, their tunnels, and the endpoints that are served. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const id = idType(db);
  const { schema } = db;
  await schema
    .createTable("tunnel_session")
    .addColumn("id", id, (column) => column.primaryKey().notNull())
    .addColumn("gateway", id, (column) => column.notNull())
    .addColumn("credential_id", id, (column) => column.notNull())
    .addColumn("owner_id", id, (column) => column.notNull())
    .addColumn("project_id", id, (column) => column.notNull())
    .addColumn("ip", "text", (column) => column.notNull())
    .addColumn("client", "text", (column) => column.notNull())
    .addColumn("forwards_to", "text", (column) => column.notNull())
    .addColumn("binds", "text", (column) => column.notNull())
    .addColumn("started_at", "text", (column) => column.notNull())
    .execute();
  await schema.createIndex("tunnel_session_gateway").on("tunnel_session").column("gateway").execute();
  await schema
    .createTable("tunnel")
    .addColumn("id", id, (column) => column.primaryKey().notNull())
    .addColumn("session_id", id, (column) =>
      column.notNull().references("tunnel_session.id").onDelete("cascade"),
    )
    .addColumn("owner_id", id, (column) => column.notNull())
    .addColumn("project_id", id, (column) => column.notNull())
    .addColumn("bind", "text", (column) => column.notNull())
    .addColumn("hostport", id)
    .addColumn("started_at", "text", (column) => column.notNull())
    .execute();
  await schema.createIndex("tunnel_session_id").on("tunnel").column("session_id").execute();
  await schema.createIndex("tunnel_hostport").on("tunnel").columns(["hostport", "id"]).execute();
  await schema
    .createTable("ended_session")
    .addColumn("id", id, (column) => column.primaryKey().notNull())
    .addColumn("credential_id", id, (column) => column.notNull())
    .addColumn("ip", "text", (column) => column.notNull())
    .addColumn("ended_at", "bigint", (column) => column.notNull())
    .addColumn("kept_out_until", "bigint", (column) => column.notNull())
    .execute();
  await schema.createIndex("ended_session_credential").on("ended_session").column("credential_id").execute();
  await schema
    .createTable("endpoint")
    .addColumn("id", id, (column) => column.primaryKey().notNull())
    .addColumn("hostport", id, (column) => column.notNull().unique())
    .addColumn("edge_id", id, (column) => column.notNull())
    .addColumn("project_id", id, (column) => column.notNull())
    .addColumn("created_at", "text", (column) => column.notNull())
    .addColumn("updated_at", "text", (column) => column.notNull())
    .execute();
  await schema.createIndex("endpoint_edge").on("endpoint").column("edge_id").execute();
  await schema
    .createTable("served_edge")
    .addColumn("edge_id", id, (column) => column.notNull())
    .addColumn("gateway", id, (column) => column.notNull())
    .addPrimaryKeyConstraint("served_edge_key", ["edge_id", "gateway"])
    .execute();
  await schema.createIndex("served_edge_gateway").on("served_edge").column("gateway").execute();
}

import type { PageRequest } from "../journal/read";
import type { Page } from "../objects";
import type { DeliveryRow } from "../storage/schema";
import type { Store } from "../storage/store";

/** A page of a destination's deliveries, newest event first, as the API shows them. `before` is an event's id. */
export async function deliveryPage(
  { reader }: Store,
  destination: string,
  status: DeliveryRow["status"] | undefined,
  { limit, before }: PageRequest,
): Promise<Page> {
  let query = reader
    .selectFrom("delivery")
    .innerJoin("event", "event.sequence", "delivery.sequence")
    .leftJoin("lane", (join) =>
      join.onRef("lane.destination_id", "=", "delivery.destination_id").onRef("lane.object_id", "=", "delivery.object_id"),
    )
    .select([
      "event.id as event_id",
      "delivery.event_type",
      "delivery.object_id",
      "event.created_at as event_timestamp",
      "status",
      "attempts",
    ])
    .select(["last_error", "lane.due_at", "first_attempt_at", "last_attempt_at", "delivered_at"])
    .where("delivery.destination_id", "=", destination);
  if (status !== undefined) query = query.where("status", "=", status);
  if (before !== undefined) {
    query = query.where("delivery.sequence", "<", reader.selectFrom("event").select("sequence").where("id", "=", before));
  }
  const rows = await query
    .orderBy("delivery.sequence", "desc")
    .limit(limit + 1)
    .execute();
  const shown = rows.slice(0, limit);
  return {
    documents: shown.map(({ due_at, ...row }) => JSON.stringify({ ...row, due_at: row.status === "pending" ? due_at : null })),
    nextBefore: rows.length > limit ? (shown.at(-1)?.event_id ?? null) : null,
  };
}

import type { EventSubscription } from "@tunnelplane/sdk";
import { definitionOf } from "@tunnelplane/sdk/contract";
import { amendByServer, requestOfServer, type ServerContext, Transactions } from "../../resources";
import type { SentBatch } from "./batch";

/** Whether a service said that it is gone for good. */
export const isGone = (sent: SentBatch | undefined): boolean =>
  sent?.results.some((result) => !result.ok && result.gone) ?? false;

/**
 * Ends the deliveries to a destination whose service is gone for good: each subscription leaves it out from
 * now on, which is a change of its own with its event. Whoever declares it again begins anew.
 */
export async function endDeliveries(context: ServerContext, destination: string): Promise<void> {
  const definition = definitionOf("event_subscription");
  const named = await context.store.reader
    .selectFrom("reference")
    .innerJoin("resource", "resource.id", "reference.from_id")
    .select(["resource.id", "project_id"])
    .where("to_id", "=", destination)
    .where("kind", "=", definition.kind)
    .execute();
  for (const { id, project_id } of named) {
    await new Transactions(context, requestOfServer(project_id)).run(async (transaction, changes) => {
      const row = await transaction
        .selectFrom("resource")
        .select("document")
        .where("id", "=", id)
        .forUpdate()
        .executeTakeFirst();
      if (!row) return;
      const { destinations }: EventSubscription = JSON.parse(row.document);
      const left = destinations.filter((one) => one.id !== destination);
      await amendByServer(context, transaction, changes, definition, id, { destinations: left });
    });
  }
}

import { callerOf, NotFoundError, type Transport } from "@tunnelplane/sdk";
import { type Definition, seesAll } from "@tunnelplane/sdk/contract";
import { knownCallerOf } from "./caller";
import type { Properties } from "./values";

/**
 * Waits for the answer about an object that the state records. The server answers 404 for objects of another
 * owner. If the provider read that as "deleted", it would create a second credential and leave the first one
 * valid. So it throws instead.
 */
export async function unlessForeign<T>(
  { access, title }: Definition,
  transport: Transport,
  { id, recorded }: { id: string; recorded: Properties },
  request: Promise<T>,
): Promise<T> {
  try {
    return await request;
  } catch (error) {
    const owner = recorded.ownerId;
    // If the project does not exist any more for this API key, this throws, and the object is not gone.
    if (error instanceof NotFoundError && transport.project !== undefined) await callerOf(transport);
    if (!(error instanceof NotFoundError) || access !== "owner" || typeof owner !== "string") throw error;
    const caller = await knownCallerOf(transport);
    if (seesAll(caller.role) || caller.owner_id === owner) throw error;
    throw new Error(
      `${title} ${id} belongs to another owner (${owner}), so this API key, which belongs to ${caller.name} (${caller.owner_id}), cannot see it: use a key of its owner or of an admin. The state still holds it`,
      { cause: error },
    );
  }
}

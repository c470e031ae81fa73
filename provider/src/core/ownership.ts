import { type Caller, callerOf, NotFoundError, type Transport } from "@tunnelplane/sdk";
import type { Definition } from "@tunnelplane/sdk/contract";
import type { Properties } from "./values";

/** The caller of each connection, for the life of the process. */
const callers = new WeakMap<Transport, Promise<Caller>>();

/**
 * The answer to a request for an object that the state records. The server answers 404 for objects of another owner. Taken for
 * "deleted", that would make a second credential and leave the first one alive, so it becomes an error of its own.
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
    if (!(error instanceof NotFoundError) || access !== "owner" || typeof owner !== "string") throw error;
    const caller = await knownCallerOf(transport);
    if (caller.role === "admin" || caller.owner_id === owner) throw error;
    throw new Error(
      `${title} ${id} belongs to another (${owner}) and cannot be seen with this API key, which belongs to ${caller.name} (${caller.owner_id}): use a key of its owner or of an admin. It is not taken for gone`,
      { cause: error },
    );
  }
}

function knownCallerOf(transport: Transport): Promise<Caller> {
  let caller = callers.get(transport);
  if (!caller) {
    caller = callerOf(transport).catch((error: unknown) => {
      callers.delete(transport); // the next may succeed
      throw error instanceof NotFoundError
        ? new Error(
            `${transport.baseUrl} cannot tell whose the API key is, so nothing is taken for gone; bring the server to this package's version`,
          )
        : error;
    });
    callers.set(transport, caller);
  }
  return caller;
}

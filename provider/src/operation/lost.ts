import { ApiError, type Transport } from "@tunnelplane/sdk";
import type { Creation, Lifecycle, Properties } from "../core";
import { describe } from "./describe";
import { isInDoubt, PartialFailure } from "./partial";

/** The id in the state of a resource whose creation got no answer: nobody knows whether it has an object. */
export const IN_DOUBT = "in-doubt";

type Sent = Pick<Creation, "name" | "replaces" | "closedWithout">;

/**
 * The failure of a creation; one without an answer as a partial failure. A resource that the state does not
 * have would be forgotten by a destroy, and its object, perhaps with a token, would live on.
 *
 * @param error of the request
 * @param failure the same in the words of the user
 */
export const lostCreation = (error: unknown, failure: unknown, sent: Sent, desired: Properties): unknown =>
  isInDoubt(error)
    ? new PartialFailure(failure, {
        id: IN_DOUBT,
        outputs: { ...desired, __creation: JSON.stringify(sent) },
        inputs: desired,
      })
    : failure;

/** How the creation was sent. */
export const sentIn = ({ __creation }: Properties): Sent =>
  typeof __creation === "string" ? JSON.parse(__creation) : {};

/**
 * Deletes what a creation made that got no answer. The same request with the same key finds it again; where
 * nothing was made yet, it is made, and so cannot be made later by a request that was only late.
 *
 * @param isKept whether a resource of this run has the object
 * @returns a warning where what it made may be left
 */
export async function deleteLost(
  lifecycle: Lifecycle,
  transport: Transport,
  { recorded, ...how }: Pick<Creation, "intent" | "isRecorded"> & { readonly recorded: Properties },
  isKept: (id: string) => boolean,
): Promise<string | undefined> {
  // In the order of the engine, as the creation had them: its key covers the text of the request.
  const desired = Object.fromEntries(Object.entries(recorded).filter(([name]) => !name.startsWith("__")));
  let id: string;
  try {
    ({ id } = await lifecycle.create(transport, desired, { ...how, ...sentIn(recorded) }));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // A key that made something answers again, for a day, to the same owner with the same scopes.
    if ([400, 404, 412].includes(error.status)) return undefined;
    if ([409, 422].includes(error.status)) return leftBehind(lifecycle, sentIn(recorded), error);
    throw error;
  }
  if (!isKept(id)) await lifecycle.delete(transport, id, {});
  return undefined;
}

const leftBehind = ({ definition }: Lifecycle, { name }: Sent, error: ApiError): string =>
  `the server did not answer the creation of this ${definition.title}, and what it made may be left: look there for one with the name ${JSON.stringify(name)}, and delete it. Asked once more, the server says: ${describe(error, undefined)}`;

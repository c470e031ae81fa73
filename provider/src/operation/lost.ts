import { ApiError, type Transport } from "@tunnelplane/sdk";
import type { Creation, Lifecycle, Plan, Properties } from "../core";
import { describe } from "./describe";
import type { Kind } from "./kind";
import { IN_DOUBT, isInDoubt, PartialFailure } from "./partial";

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
const sentIn = ({ __creation }: Properties): Sent =>
  typeof __creation === "string" ? JSON.parse(__creation) : {};

/** The steps of a resource whose creation got no answer. */
export class InDoubt {
  constructor(private readonly kind: Kind) {}

  async plan(urn: string | undefined, recorded: Properties): Promise<Plan & { readonly moves: boolean }> {
    const reason =
      "the server did not answer its creation; the run sends the same once more, and takes what that has made";
    const { host, replaced } = this.kind.operation;
    await host.warn(reason, urn);
    const { replaces } = sentIn(recorded);
    if (replaces !== undefined && urn !== undefined) replaced.set(urn, replaces);
    return { changes: true, replaces: ["id"], takesOver: false, reasons: [reason], moves: false };
  }

  read = (recorded: Properties): { outputs: Properties; inputs: Properties } => ({
    outputs: recorded,
    inputs: this.kind.inputsOf(recorded),
  });

  /**
   * Deletes what the creation made, and warns where that may be left. The same request with the same key
   * finds it again; where nothing was made yet, it is made, and so cannot be made later by a request that was
   * only late.
   */
  async delete(transport: Transport, recorded: Properties, intent: string | undefined): Promise<void> {
    const { lifecycle, operation } = this.kind;
    const { isRecorded, current, host } = operation;
    // In the order of the engine, as the creation had them: its key covers the text of the request.
    const desired = Object.fromEntries(Object.entries(recorded).filter(([name]) => !name.startsWith("__")));
    let id: string;
    try {
      ({ id } = await lifecycle.create(transport, desired, { intent, isRecorded, ...sentIn(recorded) }));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // A key that made something answers again, for a day, to the same owner with the same scopes.
      if ([400, 404, 412].includes(error.status)) return;
      if (![409, 422].includes(error.status)) throw error;
      return host.warn(leftBehind(lifecycle, sentIn(recorded), error), undefined);
    }
    const isKept = [...current.values()].includes(id);
    if (!isKept) await lifecycle.delete(transport, id, {});
  }
}

const leftBehind = ({ definition }: Lifecycle, { name }: Sent, error: ApiError): string =>
  `the server did not answer the creation of this ${definition.title}, and what it made may be left: look there for one with the name ${JSON.stringify(name)}, and delete it. Asked once more, the server says: ${describe(error, undefined)}`;

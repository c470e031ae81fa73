import { messageOf } from "@tunnelplane/sdk/contract";
import { ElsewhereError, expectLocation, namesLocation, type Properties, serverIn } from "../core";
import type { Settings } from "./accountSettings";
import { describe } from "./describe";
import type { Operation } from "./operation";
import { isOf } from "./stateBackend";

/** A resource in the state, with its name in the program. */
interface Located {
  readonly id: string;
  /** The name of its class. */
  readonly type: string;
  /** In messages. */
  readonly named: string;
  readonly urn: string | undefined;
}

/**
 * Whether the program moved a resource here from a provider of another server or project, so that a new
 * object has to take the place of the old one. Asks the server only if the settings do not name the recorded
 * place.
 *
 * @throws if only the settings changed, because the old object could then be neither changed nor deleted
 */
export async function movesHere(
  operation: Operation,
  resource: Located,
  recorded: Properties,
): Promise<boolean> {
  const before = serverIn(recorded);
  if (!before || !operation.canAsk) return false;
  return operation.withServer(async (transport, settings) => {
    if (namesLocation(transport, recorded)) return false;
    try {
      await expectLocation(transport, resource.named, recorded);
      return false;
    } catch (error) {
      if (!(error instanceof ElsewhereError)) {
        const unknown = `it is not known whether ${transport.baseUrl} is the server of this stack's state (${before.address})`;
        await operation.warnOnce(`${unknown}: ${describe(error, settings)}`, resource.urn);
        return false;
      }
      if (!(await isFromElsewhere(operation, resource, error)))
        throw operation.isAccount ? inPlace(operation, error, settings) : error;
      const { noun, from, to } = error.places;
      const warning = `moves to another ${noun}, from ${from} to ${to}: it is made anew there`;
      await operation.host.warn(warning, resource.urn);
      return true;
    }
  });
}

/** The refusal if a provider of the program got the address of another server, or another project. */
function inPlace({ host }: Operation, refusal: ElsewhereError, settings: Settings): Error {
  const noun = host.account?.noun ?? "account";
  const { setting, value } = refusal.places;
  return new Error(
    `${describe(refusal, settings)}. To move objects to ${value}, declare another ${noun} with that ${setting} and hand it to their resources`,
  );
}

/** Whether the state has a resource under another provider than the one that serves this process. */
async function isFromElsewhere(
  { provider, stateOfStack }: Operation,
  { id, type }: Located,
  refusal: Error,
): Promise<boolean> {
  const state = await stateOfStack().catch((error: unknown) => {
    const [reason] = messageOf(error).split("\n");
    throw new Error(
      `${refusal.message} (whether the program moved it there is not known: the stack's state could not be read, ${reason})`,
    );
  });
  const before = state.find(
    (resource) => resource.id === id && resource.type.split(":").at(-1) === type && !resource.delete,
  );
  return before?.provider !== undefined && !isOf(before, provider);
}

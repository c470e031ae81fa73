import type { Transport } from "@tunnelplane/sdk";
import { DEFAULT_PROJECT, type Definition } from "@tunnelplane/sdk/contract";
import { expectProject, projectIn, recordOfProject } from "./project";
import { expectServer, recordOfServer, serverIn } from "./server";
import type { Properties } from "./values";

/**
 * The record of where a transport's requests go, for the outputs of what they make: server and project.
 *
 * @param definition the type of what is made, if it is only one
 */
export async function recordOfLocation(transport: Transport, definition?: Definition): Promise<Properties> {
  const server = await recordOfServer(transport);
  return "__server" in server ? { ...server, ...(await recordOfProject(transport, definition)) } : server;
}

/** The record of the location in the outputs of a resource. */
export const locationIn = ({ __server, __project }: Properties): Properties => ({
  ...(__server !== undefined && { __server }),
  ...(__project !== undefined && { __project }),
});

/**
 * Refuses to ask for an object that the state has on another server, or in another project.
 *
 * @param what the object, for messages
 * @throws ElsewhereError
 */
export async function expectLocation(
  transport: Transport,
  what: string,
  recorded: Properties,
): Promise<void> {
  await expectServer(transport, what, recorded);
  await expectProject(transport, what, recorded);
}

/** Whether a transport's settings name the recorded location, so that nobody has to be asked. */
export function namesLocation({ baseUrl, project }: Transport, recorded: Properties): boolean {
  const before = projectIn(recorded);
  const isNamed = before === undefined || before.name === (project ?? DEFAULT_PROJECT.name);
  return isNamed && serverIn(recorded)?.address === baseUrl;
}

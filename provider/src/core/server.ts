import { ApiError, AuthenticationError, type Transport } from "@tunnelplane/sdk";
import { knownCallerOf, NoCallerError } from "./caller";
import { ElsewhereError } from "./project";
import type { Properties } from "./values";

/** A server, as the state keeps it. */
export interface Server {
  /** From `GET /caller`: of one database, whatever the address is. */
  readonly id: string;
  /** The address at which it was asked. */
  readonly address: string;
}

/**
 * The server of a resource in its outputs, as `<id> <address>`. Without the address, every preview would
 * have to ask who answers, and no message could say where the object is. Outputs only, because
 * the engine writes them with every step.
 */
const recordOf = ({ id, address }: Server): Properties => ({ __server: `${id} ${address}` });

/** The server that recorded outputs name; undefined if they name none. */
export function serverIn({ __server }: Properties): Server | undefined {
  const [, id, address] = /^(\S+) (.+)$/.exec(typeof __server === "string" ? __server : "") ?? [];
  return id && address ? { id, address } : undefined;
}

/** The record of the server behind a transport; empty if it cannot be asked who it is. */
export async function recordOfServer(transport: Transport): Promise<Properties> {
  try {
    const { server_id } = await knownCallerOf(transport);
    return recordOf({ id: server_id, address: transport.baseUrl });
  } catch (error) {
    if (
      error instanceof AuthenticationError ||
      !(error instanceof NoCallerError || error instanceof ApiError)
    )
      throw error;
    return {};
  }
}

/** @param what the object, for example `TLS edge edgtls_…` */
function otherServer(what: string, recorded: Server, asked: Server): ElsewhereError {
  const [other, cure] =
    recorded.address === asked.address
      ? [`another server (${shortId(asked.id)}) answers there now`, "restore its database there"]
      : [`${nameOf(asked)} is another server`, `set the address back to ${recorded.address}`];
  return new ElsewhereError(
    `${what} is on ${nameOf(recorded)}, and ${other}; nothing was changed. So ${cure}, or, if that server is gone for good, remove its objects from the state with "pulumi state delete"`,
    { noun: "server", from: nameOf(recorded), to: nameOf(asked), setting: "address", value: asked.address },
  );
}

/**
 * Refuses to ask a server for an object that the state has on another one. That server would answer "no such
 * object", and the object would be taken for deleted while it lives on.
 *
 * @param what the object, for messages
 */
export async function expectServer(transport: Transport, what: string, recorded: Properties): Promise<void> {
  const server = serverIn(recorded);
  if (!server) return;
  const { baseUrl: address } = transport;
  const { server_id: id } = await knownCallerOf(transport);
  if (id !== server.id) throw otherServer(what, server, { id, address });
}

/** A server in a message. */
const nameOf = ({ id, address }: Server): string => `${address} (${shortId(id)})`;

/** The end of an id, which distinguishes servers: ids begin with their time. */
const shortId = (id: string): string => id.replace(/^([a-z]+_).*(.{8})$/, "$1…$2");
